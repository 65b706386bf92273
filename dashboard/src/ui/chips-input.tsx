/** Several names: Enter or a comma adds one, Backspace takes the last one back. */
import { X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { classes } from './classes.ts'
import { useControl } from './field.tsx'
import { listOf } from './list-text.ts'

interface ChipsInputProps {
  value: readonly string[]
  onChange(value: string[]): void
  placeholder?: string
  /** What may be chosen from; anything else can be typed too. */
  suggestions?: readonly string[]
  disabled?: boolean
}

export function ChipsInput({
  value,
  onChange,
  placeholder,
  suggestions = [],
  disabled = false,
}: ChipsInputProps) {
  const { edge, ...control } = useControl()
  const [text, setText] = useState('')
  const listId = useId()
  const add = (typed: string) => {
    const added = listOf(typed).filter(name => !value.includes(name))
    if (added.length > 0) onChange([...value, ...added])
    setText('')
  }
  const keys = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && text.trim() !== '') add(text)
    else if (event.key === 'Backspace' && text === '' && value.length > 0) onChange(value.slice(0, -1))
    else return
    event.preventDefault()
  }
  return (
    <div
      className={classes(
        'flex min-h-8 w-full min-w-0 flex-wrap items-center gap-1 rounded-control border bg-surface px-1.5 py-0.5 focus-within:outline-2 focus-within:outline-accent',
        edge,
        disabled && 'cursor-not-allowed bg-bg',
      )}
    >
      {value.map(name => (
        <span
          key={name}
          className="inline-flex max-w-full items-center rounded-full bg-idle-soft pr-0.5 pl-2 text-sm text-text"
        >
          <span className="cut" title={name}>
            {name}
          </span>
          <button
            type="button"
            disabled={disabled}
            aria-label={`Remove ${name}`}
            className="rounded-full p-1 text-muted hover:text-text"
            onClick={() => onChange(value.filter(each => each !== name))}
          >
            <X size={12} />
          </button>
        </span>
      ))}
      <input
        {...control}
        value={text}
        disabled={disabled}
        list={suggestions.length > 0 ? listId : undefined}
        autoComplete="off"
        placeholder={value.length === 0 ? placeholder : undefined}
        onKeyDown={keys}
        onBlur={() => add(text)}
        onChange={event =>
          /[,\n\t]/.test(event.target.value) ? add(event.target.value) : setText(event.target.value)
        }
        className="h-6 min-w-24 flex-1 bg-transparent px-1 outline-none"
      />
      {suggestions.length > 0 && (
        <datalist id={listId}>
          {suggestions
            .filter(each => !value.includes(each))
            .map(each => (
              <option key={each} value={each} />
            ))}
        </datalist>
      )}
    </div>
  )
}
