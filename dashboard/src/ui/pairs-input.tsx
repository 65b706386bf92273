/** Names and their values, such as headers. */
import { Plus, X } from 'lucide-react'
import { Button, IconButton } from './button.tsx'
import { Input } from './field.tsx'
import type { Pairs } from './pairs.ts'

interface PairsInputProps {
  label: string
  pairs: Pairs
  onChange(pairs: Pairs): void
  /** Values are hidden as they are typed. */
  isSecret?: boolean
  placeholders?: [name: string, value: string]
  disabled?: boolean
}

export function PairsInput({
  label,
  pairs,
  onChange,
  isSecret = false,
  placeholders = ['Name', 'Value'],
  disabled = false,
}: PairsInputProps) {
  const change = (at: number, pair: Pairs[number]) =>
    onChange(pairs.map((before, i) => (i === at ? pair : before)))
  return (
    <fieldset aria-label={label} disabled={disabled} className="flex min-w-0 flex-col gap-1.5">
      {pairs.map(([name, value], i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are known by their place while their names are typed
        <div key={i} className="flex min-w-0 items-center gap-1.5">
          <Input
            id={undefined}
            aria-label={`${label}: name ${i + 1}`}
            placeholder={placeholders[0]}
            value={name}
            autoComplete="off"
            className="max-w-48 font-mono text-code"
            onChange={event => change(i, [event.target.value, value])}
          />
          <Input
            id={undefined}
            aria-label={`${label}: value ${i + 1}`}
            placeholder={placeholders[1]}
            type={isSecret ? 'password' : 'text'}
            autoComplete={isSecret ? 'new-password' : 'off'}
            value={value}
            className="font-mono text-code"
            onChange={event => change(i, [name, event.target.value])}
          />
          <IconButton
            label={`Remove ${name || 'this row'}`}
            onClick={() => onChange(pairs.filter((_, at) => at !== i))}
          >
            <X size={14} />
          </IconButton>
        </div>
      ))}
      <div>
        <Button size="small" onClick={() => onChange([...pairs, ['', '']])}>
          <Plus size={14} aria-hidden="true" />
          Add
        </Button>
      </div>
    </fieldset>
  )
}
