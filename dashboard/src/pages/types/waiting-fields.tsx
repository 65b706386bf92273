/** Digests and throttles: rules that are there or not. */
import type { DigestPolicy, ThrottlePolicy } from '@carillon/contract'
import type { ReactNode } from 'react'
import { DurationInput } from '../../ui/duration-input.tsx'
import { Checkbox, Field, Input, Switch } from '../../ui/field.tsx'

interface RuleProps<Policy> {
  value: Policy | null
  onChange(value: Policy | null): void
  errorOf(field: string): string | undefined
  isReadOnly: boolean
}

export function DigestFields({ value, onChange, errorOf, isReadOnly }: RuleProps<DigestPolicy>) {
  const set = (changes: Partial<DigestPolicy>) => value && onChange({ ...value, ...changes })
  return (
    <Rule
      label="Digest"
      help="Notifications for a person within a window are sent as one message."
      isOn={value !== null}
      isReadOnly={isReadOnly}
      onChange={isOn =>
        onChange(isOn ? { window: 900, key: '', first_at_once: false, max_items: 100 } : null)
      }
    >
      {value && (
        <>
          <Field label="Window" error={errorOf('digest.window')} help="Begins with the first one.">
            <DurationInput
              label="Window"
              in="seconds"
              disabled={isReadOnly}
              value={value.window}
              onChange={window => set({ window: window ?? 0 })}
            />
          </Field>
          <Field
            label="Most items"
            error={errorOf('digest.max_items')}
            help="In the message as items; count says how many there were."
          >
            <Input
              type="number"
              min={1}
              max={1000}
              readOnly={isReadOnly}
              className="max-w-28"
              value={value.max_items}
              onChange={event => set({ max_items: event.target.valueAsNumber || 1 })}
            />
          </Field>
          <KeyField
            value={value.key}
            error={errorOf('digest.key')}
            onChange={key => set({ key })}
            isReadOnly={isReadOnly}
          />
          <Checkbox
            label="The first is sent at once and opens the window"
            disabled={isReadOnly}
            checked={value.first_at_once}
            onChange={event => set({ first_at_once: event.target.checked })}
          />
        </>
      )}
    </Rule>
  )
}

export function ThrottleFields({ value, onChange, errorOf, isReadOnly }: RuleProps<ThrottlePolicy>) {
  const set = (changes: Partial<ThrottlePolicy>) => value && onChange({ ...value, ...changes })
  return (
    <Rule
      label="Throttle"
      help="A person gets so many within a time; the others are skipped."
      isOn={value !== null}
      isReadOnly={isReadOnly}
      onChange={isOn => onChange(isOn ? { per: 3600, key: '', max: 1 } : null)}
    >
      {value && (
        <>
          <Field label="Most" error={errorOf('throttle.max')}>
            <Input
              type="number"
              min={1}
              max={1000}
              readOnly={isReadOnly}
              className="max-w-28"
              value={value.max}
              onChange={event => set({ max: event.target.valueAsNumber || 1 })}
            />
          </Field>
          <Field label="Within" error={errorOf('throttle.per')}>
            <DurationInput
              label="Within"
              in="seconds"
              disabled={isReadOnly}
              value={value.per}
              onChange={per => set({ per: per ?? 0 })}
            />
          </Field>
          <KeyField
            value={value.key}
            error={errorOf('throttle.key')}
            onChange={key => set({ key })}
            isReadOnly={isReadOnly}
          />
        </>
      )}
    </Rule>
  )
}

interface KeyFieldProps {
  value: string
  error: string | undefined
  onChange(key: string): void
  isReadOnly: boolean
}

function KeyField({ value, error, onChange, isReadOnly }: KeyFieldProps) {
  return (
    <Field
      label="Counted by"
      isOptional
      error={error}
      help="A field of the payload whose values are counted separately. If left empty: all together."
    >
      <Input
        maxLength={100}
        placeholder="order_id"
        readOnly={isReadOnly}
        className="max-w-64"
        value={value}
        onChange={event => onChange(event.target.value)}
      />
    </Field>
  )
}

interface RuleFrameProps {
  label: string
  help: string
  isOn: boolean
  isReadOnly: boolean
  onChange(isOn: boolean): void
  children: ReactNode
}

function Rule({ label, help, isOn, isReadOnly, onChange, children }: RuleFrameProps) {
  return (
    <div className="flex flex-col gap-3">
      <Field label={label} help={help}>
        <Switch label={label} isOn={isOn} disabled={isReadOnly} onChange={onChange} />
      </Field>
      {isOn && <div className="flex flex-col gap-4 border-l-2 border-border pl-4">{children}</div>}
    </div>
  )
}
