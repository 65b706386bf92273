/** Whether the person's addresses get anything at all. */
import type { Suppression, User } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ChannelName } from '../../ui/channel.tsx'
import { Id } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { SuppressDialog } from '../suppressions/suppress-dialog.tsx'
import { useLift } from '../suppressions/use-lift.ts'
import { REASON_WORDS } from '../suppressions/words.ts'
import { MissingScope } from './missing-scope.tsx'

type Channel = Suppression['channel']

export function SuppressionTab({ user: { email, phone, chat_address } }: { user: User }) {
  const mayRead = useMay('suppressions:read')
  const addresses: [Channel, string | null][] = [
    ['email', email],
    ['sms', phone],
    ['chat', chat_address],
  ]
  const known = addresses.filter((each): each is [Channel, string] => Boolean(each[1]))
  if (!mayRead) return <MissingScope scope="suppressions:read" />
  if (known.length === 0)
    return (
      <Card>
        <Empty title="No addresses" text="Only addresses can be suppressed, and this person has none." />
      </Card>
    )
  return (
    <Card isFlush>
      <ul aria-label="Addresses" className="divide-y divide-border">
        {known.map(([channel, address]) => (
          <Address key={channel} channel={channel} address={address} />
        ))}
      </ul>
    </Card>
  )
}

function Address({ channel, address }: { channel: Channel; address: string }) {
  const mayWrite = useMay('suppressions:write')
  const lift = useLift()
  const [isAdding, setAdding] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['suppressions', 'of-address', channel, address],
    queryFn: async ({ signal }) =>
      (await api.suppressions.list({ channel, address, limit: 1 }, { signal })).data[0] ?? null,
  })
  const refusal = !mayWrite && 'You need suppressions:write for this: ask an owner.'
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
      <span className="w-20">
        <ChannelName channel={channel} />
      </span>
      <span className="min-w-0 flex-1 basis-48">
        <Id value={address} className="text-text" />
        {data && (
          <span className="block text-sm text-muted">
            {REASON_WORDS[data.reason]} <Time value={data.created_at} />
            {data.detail && `: ${data.detail}`}
          </span>
        )}
      </span>
      {data === undefined ? (
        <Skeleton className="h-5 w-24" />
      ) : data === null ? (
        <>
          <Status status="active" label="gets messages" />
          <Button size="small" kind="quiet" refusal={refusal} onClick={() => setAdding(true)}>
            Suppress
          </Button>
        </>
      ) : (
        <>
          <Status status="failed" label="suppressed" />
          <Button size="small" refusal={refusal} onClick={() => lift(data)}>
            Lift
          </Button>
        </>
      )}
      {isAdding && <SuppressDialog given={{ channel, address }} onClose={() => setAdding(false)} />}
    </li>
  )
}
