/** What the person wants, beside what the tenant's defaults say. */
import type { Channel, User } from '@carillon/contract'
import { useState } from 'react'
import { useMay } from '../../app/session.tsx'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ChannelDialog } from './channel-dialog.tsx'
import { ChannelRules } from './channel-rules.tsx'
import { MissingScope } from './missing-scope.tsx'
import { channelWish, type Part, partWish, sayName } from './preference-words.ts'
import { usePreferences } from './use-preferences.ts'
import { WishCell } from './wish-cell.tsx'

const HEAD = 'h-9 px-3 text-sm font-medium text-muted'
const NAME = 'sticky left-0 bg-surface px-4 py-1 text-left font-normal'

export function PreferencesTab({ user }: { user: User }) {
  const mayRead = useMay('preferences:read')
  if (!mayRead) return <MissingScope scope="preferences:read" />
  return <Grid user={user} />
}

function Grid({ user }: { user: User }) {
  const { theirs, defaults, rows, error, isBusy, change, retry } = usePreferences(user.id)
  const mayWrite = useMay('preferences:write')
  const [edited, setEdited] = useState<Channel>()
  if (error) return <Problem error={error} onRetry={retry} />
  if (theirs === undefined || defaults === undefined) return <Skeleton className="h-64 w-full" />
  const reasons = [...new Set([...Object.keys(theirs.reasons), ...Object.keys(defaults.reasons)])].sort()
  const disabled = !mayWrite || isBusy
  const cells = (part: Part, key: string, name: string, isRequired: boolean) =>
    CHANNELS.map(channel => (
      <td key={channel} className="px-3 py-1">
        <WishCell
          label={`${name} by ${CHANNEL_NAMES[channel]}`}
          wish={partWish(theirs, defaults, part, key, channel)}
          isRequired={isRequired}
          disabled={disabled}
          onChange={isOn => void change({ [part]: { [key]: { [channel]: isOn } } })}
        />
      </td>
    ))
  return (
    <>
      {!mayWrite && <Notice tone="info">You need preferences:write to change them: ask an owner.</Notice>}
      <Card isFlush>
        <div className="overflow-x-auto">
          <table aria-label="What the person wants" className="w-full border-collapse text-left">
            <thead>
              <tr className="border-b border-border">
                <th scope="col" className={`${HEAD} sticky left-0 rounded-tl-card bg-surface pl-4`}>
                  <span className="sr-only">What</span>
                </th>
                {CHANNELS.map(channel => (
                  <th key={channel} scope="col" className={HEAD}>
                    {CHANNEL_NAMES[channel]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-border">
              <tr className="bg-bg">
                <th scope="row" className={`${NAME} bg-bg! font-medium!`}>
                  The whole channel
                </th>
                {CHANNELS.map(channel => (
                  <td key={channel} className="px-3 py-1">
                    <WishCell
                      label={`Everything by ${CHANNEL_NAMES[channel]}`}
                      wish={channelWish(theirs, defaults, channel)}
                      disabled={disabled}
                      onChange={isOn => void change({ channels: { [channel]: { enabled: isOn } } })}
                    />
                  </td>
                ))}
              </tr>
              {rows.map(({ category, name, isRequired }) => (
                <tr key={category}>
                  <th scope="row" className={NAME}>
                    <bdi title={category}>{name}</bdi>
                  </th>
                  {cells('categories', category, name, isRequired)}
                </tr>
              ))}
              {reasons.map(reason => (
                <tr key={reason}>
                  <th scope="row" className={NAME}>
                    {sayName(reason)} <span className="text-sm text-muted">reason</span>
                  </th>
                  {cells('reasons', reason, reason, false)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p className="border-t border-border px-4 py-2 text-sm text-muted">
          Pale switches follow the tenant’s defaults; the others the person chose. A channel that is off sends
          nothing, whatever stands below it.
        </p>
      </Card>
      <ChannelRules theirs={theirs} defaults={defaults} mayWrite={mayWrite} onEdit={setEdited} />
      {edited && (
        <ChannelDialog
          user={user}
          channel={edited}
          own={theirs.channels[edited]}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}
