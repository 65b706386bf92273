/** How each provider is doing: its breaker, what it did in the last hour, and its last error. */
import type { Overview, Provider } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Chip, Status } from '../../ui/status.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'

type Recent = Overview['providers'][number]

const CARD = 'flex min-w-0 flex-col gap-2 rounded-control border border-border p-3'

const BUILT_IN = new Set(['capture', 'in_app'])
const BREAKERS = { closed: 'Working', half_open: 'Being tried', open: 'Paused after errors' } as const

export function ProviderCards({ recent }: { recent: Recent[] }) {
  const mayRead = useMay('providers:read')
  const { data, error } = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.providers.list({ signal }),
    enabled: mayRead,
    ...LIVE,
  })
  if (!mayRead) return null
  const isSame = (provider: Provider, each: Recent) =>
    each.provider === provider.name && each.channel === provider.channel
  // The built-in ones, such as capture, and those that are gone but sent something.
  const others = recent.filter(each => !data?.data.some(provider => isSame(provider, each)))
  return (
    <Card title="Providers">
      {error ? (
        <Problem error={error} />
      ) : data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : data.data.length + others.length === 0 ? (
        <Empty
          icon={Plug}
          title="Messages are captured"
          text="No provider is set up, so nothing leaves this machine; you can read what would have been sent."
          action={<LinkButton to="/providers">Set up a provider</LinkButton>}
        />
      ) : (
        <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
          {data.data.map(provider => (
            <ProviderCard
              key={provider.id}
              provider={provider}
              recent={recent.find(each => isSame(provider, each))}
            />
          ))}
          {others.map(each => (
            <OtherCard key={`${each.channel} ${each.provider}`} recent={each} />
          ))}
        </div>
      )}
    </Card>
  )
}

function ProviderCard({ provider, recent }: { provider: Provider; recent: Recent | undefined }) {
  const { id, name, kind, channel, is_active, breaker } = provider
  return (
    <Link to={`/providers/${id}`} className={`${CARD} hover:border-control`}>
      <div className="flex h-6 items-center gap-2">
        <span className="cut min-w-0 font-medium">{name}</span>
        <Chip>{CHANNEL_NAMES[channel]}</Chip>
        <span className="ml-auto">
          {is_active ? (
            <Status status={breaker.state} label={BREAKERS[breaker.state]} />
          ) : (
            <Status status="inactive" label="Switched off" />
          )}
        </span>
      </div>
      <LastHour kind={kind} recent={recent} />
      {breaker.state !== 'closed' && (
        <div className="text-sm break-words text-bad">
          {breaker.last_error}
          {breaker.retry_at && (
            <span className="text-muted">
              {' '}
              Tried again <Time value={breaker.retry_at} />.
            </span>
          )}
        </div>
      )}
    </Link>
  )
}

/** Without a breaker, since there is nothing that could be paused. */
function OtherCard({ recent }: { recent: Recent }) {
  const { provider, channel } = recent
  return (
    <div className={CARD}>
      <div className="flex h-6 items-center gap-2">
        <span className="cut min-w-0 font-medium">{provider}</span>
        <Chip>{CHANNEL_NAMES[channel]}</Chip>
      </div>
      <LastHour kind={BUILT_IN.has(provider) ? 'built in' : 'not set up here'} recent={recent} />
    </div>
  )
}

function LastHour({ kind, recent }: { kind: string; recent: Recent | undefined }) {
  return (
    <div className="flex flex-wrap gap-x-4 text-sm text-muted tabular">
      <span>{kind}</span>
      {recent ? (
        <>
          <span>{recent.sent.toLocaleString('en')} sent</span>
          <span className={recent.failed > 0 ? 'text-bad' : ''}>
            {recent.failed.toLocaleString('en')} failed
          </span>
          {recent.avg_delivery_ms !== null && <span>{sayDuration(recent.avg_delivery_ms)} on average</span>}
        </>
      ) : (
        <span>Nothing in the last hour</span>
      )}
    </div>
  )
}
