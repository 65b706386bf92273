/** Per channel: whether anything is sent, how much, and when not. */
import type { Channel, DefaultPreferences, QuietWindow } from '@carillon/contract'
import { Fragment } from 'react'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'

type Channels = DefaultPreferences['channels']
type ChannelDefault = NonNullable<Channels[Channel]>
const UNSET: ChannelDefault = { enabled: null, frequency_cap: null, caps: null, quiet_hours: null }

interface ChannelDefaultsProps {
  value: Channels
  onChange(value: Channels): void
  isReadOnly: boolean
}

export function ChannelDefaults({ value, onChange, isReadOnly }: ChannelDefaultsProps) {
  const set = (channel: Channel, changes: Partial<ChannelDefault>) => {
    const next = { ...UNSET, ...value[channel], ...changes }
    const { [channel]: _before, ...others } = value
    const isUnset = Object.values(next).every(each => each === null)
    onChange(isUnset ? others : { ...others, [channel]: next })
  }
  return (
    <Card title="Channels" isFlush>
      <div className="overflow-x-auto p-4">
        <div className="grid grid-cols-[4.5rem_minmax(0,1fr)_minmax(0,1fr)] items-center gap-2 md:min-w-[38rem] md:grid-cols-[6rem_8rem_8rem_minmax(0,1fr)] md:gap-x-4">
          {['Channel', 'Sent', 'Most per day'].map(title => (
            <span key={title} className="text-sm text-muted">
              {title}
            </span>
          ))}
          <span className="text-sm text-muted max-md:hidden">Quiet hours</span>
          {CHANNELS.map(channel => {
            const { enabled, frequency_cap, quiet_hours } = value[channel] ?? UNSET
            return (
              <Fragment key={channel}>
                <span>{CHANNEL_NAMES[channel]}</span>
                <Select
                  aria-label={`Whether ${channel} is sent`}
                  disabled={isReadOnly}
                  value={enabled === false ? 'false' : ''}
                  onChange={event => set(channel, { enabled: event.target.value === 'false' ? false : null })}
                >
                  <option value="">Yes</option>
                  <option value="false">No</option>
                </Select>
                <Input
                  type="number"
                  min={0}
                  aria-label={`Most on ${channel} per day`}
                  placeholder="No limit"
                  readOnly={isReadOnly}
                  className="tabular"
                  value={frequency_cap ?? ''}
                  onChange={event => {
                    const { valueAsNumber } = event.target
                    set(channel, { frequency_cap: Number.isNaN(valueAsNumber) ? null : valueAsNumber })
                  }}
                />
                <QuietFields
                  channel={channel}
                  value={quiet_hours}
                  onChange={hours => set(channel, { quiet_hours: hours })}
                  isReadOnly={isReadOnly}
                />
              </Fragment>
            )
          })}
        </div>
      </div>
    </Card>
  )
}

interface QuietFieldsProps {
  channel: Channel
  value: QuietWindow[] | null
  onChange(value: QuietWindow[] | null): void
  isReadOnly: boolean
}

/** On a phone, a line of its own below the other fields, with its name in front. */
const QUIET = 'flex min-w-0 items-center gap-2 max-md:col-span-3 max-md:pb-3'
const NAME = <span className="w-18 shrink-0 text-sm text-muted md:hidden">Quiet hours</span>

/** One window of every day; more than that is written as JSON. */
function QuietFields({ channel, value, onChange, isReadOnly }: QuietFieldsProps) {
  if (value !== null && (value.length > 1 || value[0]?.days !== undefined))
    return (
      <span className={QUIET}>
        {NAME}
        <span className="min-w-0 text-muted">
          {value
            .map(
              ({ start, end, days }) =>
                `${start}–${end}${days ? ` ${days.map(day => day.slice(0, 3)).join(' ')}` : ''}`,
            )
            .join(', ')}
        </span>
      </span>
    )
  const window = value?.[0] ?? { start: '', end: '' }
  const set = (changes: Partial<QuietWindow>) => {
    const next = { ...window, ...changes }
    onChange(next.start === '' && next.end === '' ? null : [next])
  }
  return (
    <span className={QUIET}>
      {NAME}
      {(['start', 'end'] as const).map(end => (
        <Fragment key={end}>
          {end === 'end' && <span className="text-muted">to</span>}
          <Input
            type="time"
            aria-label={`Quiet hours of ${channel}: ${end}`}
            readOnly={isReadOnly}
            className="tabular max-w-28"
            value={window[end]}
            onChange={event => set({ [end]: event.target.value })}
          />
        </Fragment>
      ))}
    </span>
  )
}
