/** A number and its unit. What is stored is seconds or milliseconds; nobody has to calculate. */
import { useState } from 'react'
import { msOf, UNITS, type Unit, unitOf } from './duration.ts'
import { Input, Select } from './field.tsx'

interface DurationInputProps {
  label: string
  value: number | null
  onChange(value: number | null): void
  /** What the API counts in. */
  in: 'seconds' | 'ms'
  placeholder?: string
  disabled?: boolean
}

export function DurationInput({
  label,
  value,
  onChange,
  in: base,
  placeholder,
  disabled = false,
}: DurationInputProps) {
  const baseMs = msOf(base)
  const [unit, setUnit] = useState<Unit>(() => unitOf((value ?? 0) * baseMs))
  const shown = value === null ? '' : String((value * baseMs) / msOf(unit))
  return (
    <div className="flex max-w-64 gap-2">
      <Input
        type="number"
        min={0}
        step="any"
        inputMode="decimal"
        disabled={disabled}
        placeholder={placeholder}
        value={shown}
        onChange={event => {
          const typed = event.target.valueAsNumber
          onChange(Number.isNaN(typed) ? null : Math.round((typed * msOf(unit)) / baseMs))
        }}
        className="tabular"
      />
      <div className="w-28 shrink-0">
        <Select
          id={undefined}
          aria-label={`Unit of ${label}`}
          disabled={disabled}
          value={unit}
          onChange={event => {
            const next = event.target.value as Unit
            // The number stays and means something else, as one expects after typing 5 and choosing hours.
            if (value !== null) onChange(Math.round((Number(shown) * msOf(next)) / baseMs))
            setUnit(next)
          }}
        >
          {UNITS.filter(({ ms }) => ms >= baseMs).map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      </div>
    </div>
  )
}
