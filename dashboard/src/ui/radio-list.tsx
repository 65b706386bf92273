/** One of a few, each with a sentence on what it means. */
import { useId } from 'react'

interface RadioListProps<Value extends string> {
  label: string
  options: { value: Value; label: string; help?: string }[]
  chosen: Value
  onChange(value: Value): void
  error?: string | undefined
}

export function RadioList<Value extends string>(props: RadioListProps<Value>) {
  const { label, options, chosen, onChange, error } = props
  const name = useId()
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">{label}</legend>
      {error && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
      {options.map(({ value, label: title, help }) => (
        <label key={value} className="flex items-start gap-2">
          <input
            type="radio"
            name={name}
            checked={value === chosen}
            onChange={() => onChange(value)}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            {title}
            {help && <span className="block text-sm text-muted">{help}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
