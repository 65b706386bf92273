/** The control that fits a setting. */
import type { Channel } from '@carillon/contract'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { ChipsInput } from '../../ui/chips-input.tsx'
import { DurationInput } from '../../ui/duration-input.tsx'
import { Field, Input, Select, Switch } from '../../ui/field.tsx'
import type { SettingSpec } from './tenant-settings.ts'

interface SettingFieldProps {
  field: SettingSpec
  value: unknown
  onChange(value: unknown): void
  error: string | undefined
  isReadOnly: boolean
}

export function SettingField({ field, value, onChange, error, isReadOnly }: SettingFieldProps) {
  return (
    <Field label={field.label} help={field.help} error={error}>
      <Control field={field} value={value} onChange={onChange} isReadOnly={isReadOnly} />
    </Field>
  )
}

function Control({ field, value, onChange, isReadOnly }: Omit<SettingFieldProps, 'error'>) {
  const { label, kind, empty, min = 1, options = [] } = field
  if (kind === 'switch')
    return <Switch label={label} isOn={value === true} disabled={isReadOnly} onChange={onChange} />
  if (kind === 'names')
    return (
      <ChipsInput
        disabled={isReadOnly}
        placeholder={empty ?? 'None'}
        value={(value as string[] | null) ?? []}
        onChange={names => onChange(names.length === 0 && empty !== undefined ? null : names)}
      />
    )
  if (kind === 'seconds' || kind === 'ms')
    return (
      <DurationInput
        label={label}
        in={kind}
        disabled={isReadOnly}
        value={value as number}
        onChange={time => onChange(time ?? 0)}
      />
    )
  if (kind === 'choice')
    return (
      <Select
        disabled={isReadOnly}
        className="max-w-64"
        value={String(value)}
        onChange={event => onChange(event.target.value)}
      >
        {options.map(option => (
          <option key={option}>{option}</option>
        ))}
      </Select>
    )
  if (kind === 'attempts')
    return (
      <Attempts
        value={value as Partial<Record<Channel, number>>}
        onChange={onChange}
        isReadOnly={isReadOnly}
      />
    )
  if (kind === 'text')
    return (
      <Input
        readOnly={isReadOnly}
        className="max-w-64"
        placeholder={empty}
        value={(value as string | null) ?? ''}
        onChange={event =>
          onChange(event.target.value === '' && empty !== undefined ? null : event.target.value)
        }
      />
    )
  return (
    <span className="flex items-center gap-2">
      <Input
        type="number"
        min={min}
        readOnly={isReadOnly}
        className="tabular max-w-36"
        placeholder={empty}
        value={(value as number | null) ?? ''}
        onChange={event => {
          const { valueAsNumber } = event.target
          onChange(Number.isNaN(valueAsNumber) ? null : valueAsNumber)
        }}
      />
      {kind === 'days' && <span className="text-muted">days</span>}
    </span>
  )
}

interface AttemptsProps {
  value: Partial<Record<Channel, number>>
  onChange(value: Partial<Record<Channel, number>>): void
  isReadOnly: boolean
}

function Attempts({ value, onChange, isReadOnly }: AttemptsProps) {
  const set = (channel: Channel, count: number) => {
    const { [channel]: _before, ...others } = value
    onChange(Number.isNaN(count) ? others : { ...others, [channel]: count })
  }
  return (
    <span className="grid max-w-md grid-cols-2 gap-x-4 gap-y-2 md:grid-cols-3">
      {CHANNELS.map(channel => (
        <span key={channel} className="flex items-center gap-2">
          <span className="w-16 text-muted">{CHANNEL_NAMES[channel]}</span>
          <Input
            id={undefined}
            type="number"
            min={1}
            max={100}
            aria-label={`Attempts on ${channel}`}
            readOnly={isReadOnly}
            className="tabular max-w-16"
            value={value[channel] ?? ''}
            onChange={event => set(channel, event.target.valueAsNumber)}
          />
        </span>
      ))}
    </span>
  )
}
