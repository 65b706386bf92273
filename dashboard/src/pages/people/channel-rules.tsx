/** Quiet hours, caps and pauses, channel by channel: the person's own, or the default. */
import type { Channel, DefaultPreferences, Preferences } from '@carillon/contract'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { CHANNELS, ChannelName } from '../../ui/channel.tsx'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { sayCaps, sayDaily, sayQuietHours } from './preference-words.ts'

interface ChannelRulesProps {
  theirs: Preferences
  defaults: DefaultPreferences
  mayWrite: boolean
  onEdit(channel: Channel): void
}

export function ChannelRules({ theirs, defaults, mayWrite, onEdit }: ChannelRulesProps) {
  return (
    <Card title="Quiet hours and caps" isFlush>
      <ul className="divide-y divide-border">
        {CHANNELS.map(channel => {
          const own = theirs.channels[channel]
          const usual = defaults.channels[channel]
          return (
            <li key={channel} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
              <span className="w-24">
                <ChannelName channel={channel} />
              </span>
              <dl className="grid min-w-0 flex-1 basis-64 gap-x-4 gap-y-1 md:grid-cols-3">
                <Rule
                  label="Quiet"
                  own={sayQuietHours(own?.quiet_hours)}
                  usual={sayQuietHours(usual?.quiet_hours)}
                  otherwise="never"
                />
                <Rule
                  label="At most"
                  own={sayDaily(own?.frequency_cap)}
                  usual={sayDaily(usual?.frequency_cap)}
                  otherwise="no limit"
                />
                <Rule label="Caps" own={sayCaps(own?.caps)} usual={sayCaps(usual?.caps)} otherwise="none" />
                {own?.timezone && <Rule label="Zone" own={own.timezone} />}
                {own?.paused_until && <Rule label="Paused until" own={<Time value={own.paused_until} />} />}
              </dl>
              <Button
                size="small"
                kind="quiet"
                refusal={!mayWrite && 'You need preferences:write for this: ask an owner.'}
                onClick={() => onEdit(channel)}
              >
                Edit
              </Button>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

interface RuleProps {
  label: string
  own: ReactNode
  usual?: ReactNode
  /** What holds if nobody said anything. */
  otherwise?: string
}

function Rule({ label, own, usual, otherwise }: RuleProps) {
  return (
    <div className="flex min-w-0 gap-2">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className="min-w-0 break-words">
        {own ?? (
          <span className="text-muted">
            {usual ?? otherwise}
            {usual !== undefined && <span className="text-sm"> by default</span>}
          </span>
        )}
      </dd>
    </div>
  )
}
