/** Several of a few, all of them visible. */
import { Checkbox } from './field.tsx'

interface CheckRowProps<Value extends string> {
  label: string
  value: readonly Value[]
  options: readonly Value[]
  /** What an option is called, if not by its value. */
  labels?: Record<Value, string>
  onChange(value: Value[]): void
  disabled?: boolean
}

export function CheckRow<Value extends string>({
  label,
  value,
  options,
  labels,
  onChange,
  disabled = false,
}: CheckRowProps<Value>) {
  return (
    <fieldset aria-label={label} disabled={disabled} className="flex flex-wrap gap-x-4 gap-y-1">
      {options.map(option => (
        <Checkbox
          key={option}
          label={labels?.[option] ?? option}
          checked={value.includes(option)}
          onChange={event =>
            onChange(options.filter(each => (each === option ? event.target.checked : value.includes(each))))
          }
        />
      ))}
    </fieldset>
  )
}
