/** Channels that are used later, usually only if nobody has read it. */
import type { Channel, Escalation } from '@carillon/contract'
import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { DurationInput } from '../../ui/duration-input.tsx'
import { Field, Select } from '../../ui/field.tsx'

interface EscalationFieldsProps {
  value: Escalation[]
  used: Channel[]
  onChange(value: Escalation[]): void
  errorOf(field: string): string | undefined
  isReadOnly: boolean
}

export function EscalationFields({ value, used, onChange, errorOf, isReadOnly }: EscalationFieldsProps) {
  const free = CHANNELS.filter(
    channel => !used.includes(channel) && !value.some(each => each.channel === channel),
  )
  const set = (i: number, changes: Partial<Escalation>) =>
    onChange(value.map((each, at) => (at === i ? { ...each, ...changes } : each)))
  const add = () =>
    onChange([...value, { channel: free[0]!, after: 3600, unless: used.includes('in_app') ? 'read' : null }])
  return (
    <div className="flex flex-col gap-3">
      <span className="font-medium">Later</span>
      {value.map((step, i) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: channels change while they are chosen
          key={i}
          className="relative grid items-start gap-3 rounded-control border border-border p-3 pr-12 md:grid-cols-[8rem_minmax(0,1fr)]"
        >
          <Field label="Channel" error={errorOf(`escalate.${i}.channel`)}>
            <Select
              disabled={isReadOnly}
              value={step.channel}
              onChange={event => set(i, { channel: event.target.value as Channel })}
            >
              {CHANNELS.filter(channel => channel === step.channel || free.includes(channel)).map(channel => (
                <option key={channel} value={channel}>
                  {CHANNEL_NAMES[channel]}
                </option>
              ))}
            </Select>
          </Field>
          <Field label="After" error={errorOf(`escalate.${i}.after`)}>
            <DurationInput
              label="After"
              in="seconds"
              disabled={isReadOnly}
              value={step.after}
              onChange={after => set(i, { after: after ?? 0 })}
            />
          </Field>
          <Field label="Unless" className="md:col-span-2" error={errorOf(`escalate.${i}.unless`)}>
            <Select
              disabled={isReadOnly}
              value={step.unless ?? ''}
              onChange={event => set(i, { unless: event.target.value === 'read' ? 'read' : null })}
            >
              <option value="read">it was read in the inbox</option>
              <option value="">– in any case</option>
            </Select>
          </Field>
          <div className="absolute top-2 right-2">
            <IconButton
              label="Remove this step"
              disabled={isReadOnly}
              onClick={() => onChange(value.filter((_, at) => at !== i))}
            >
              <X size={14} />
            </IconButton>
          </div>
        </div>
      ))}
      {!isReadOnly && free.length > 0 && (
        <Button size="small" kind="quiet" className="self-start" onClick={add}>
          <Plus size={14} aria-hidden="true" />
          Add a channel for later
        </Button>
      )}
    </div>
  )
}
