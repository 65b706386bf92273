/** Several of many, in groups, each with a word of explanation. */
import { useId } from 'react'
import { Checkbox } from './field.tsx'

export interface CheckGroup<Value extends string> {
  title?: string
  items: { value: Value; label: string; help?: string; disabled?: boolean }[]
}

interface CheckListProps<Value extends string> {
  label: string
  groups: CheckGroup<Value>[]
  chosen: readonly Value[]
  onChange(chosen: Value[]): void
  error?: string | undefined
  help?: string
  /** In two columns, where there is room. */
  isDense?: boolean
}

export function CheckList<Value extends string>(props: CheckListProps<Value>) {
  const { label, groups, chosen, onChange, error, help, isDense = false } = props
  const id = useId()
  const toggle = (value: Value) =>
    onChange(chosen.includes(value) ? chosen.filter(each => each !== value) : [...chosen, value])
  return (
    <fieldset className="flex min-w-0 flex-col gap-3" aria-describedby={error && `${id}-error`}>
      <legend className="mb-1 font-medium">{label}</legend>
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
      {help && <p className="text-sm text-muted">{help}</p>}
      {groups.map(({ title, items }, i) => (
        <div key={title ?? i} className="min-w-0">
          {title && <div className="mb-0.5 text-sm text-muted">{title}</div>}
          <div className={isDense ? 'grid gap-x-4 gap-y-1 md:grid-cols-2' : 'flex flex-col gap-1'}>
            {items.map(item => (
              <Checkbox
                key={item.value}
                checked={chosen.includes(item.value)}
                disabled={item.disabled ?? false}
                onChange={() => toggle(item.value)}
                label={
                  <>
                    {item.label}
                    {item.help && <span className="block text-sm text-muted">{item.help}</span>}
                  </>
                }
                className={item.help ? '[&>input]:mt-0.5 [&>input]:self-start' : ''}
              />
            ))}
          </div>
        </div>
      ))}
    </fieldset>
  )
}
