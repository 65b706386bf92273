import type { Provider } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { Command } from '../../ui/copy.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { byPriority, CHANNEL_NAMES, sayRate, UNCERTAIN_POLICIES } from './provider-words.ts'
import { kindTitle, useKinds } from './use-providers.ts'

export function ProviderAside({ provider }: { provider: Provider }) {
  const kinds = useKinds()
  const kind = kinds.data?.find(({ name }) => name === provider.kind)
  return (
    <>
      <Card title="Facts">
        <Facts
          facts={[
            ['Service', kindTitle(kinds.data, provider.kind)],
            ['Channel', CHANNEL_NAMES[provider.channel]],
            ['Order', <Place key="place" provider={provider} />],
            ['Rate limit', sayRate(provider.rate_limit)],
            ['Waits', `${provider.timeout_seconds} s for an answer`],
            ['No answer', UNCERTAIN_POLICIES[provider.uncertain_policy].label],
            ['Set up by', provider.source === 'environment' ? 'The environment, read-only' : 'This tenant'],
            provider.has_secrets.length > 0 && [
              'Secrets',
              <span key="secrets" className="flex flex-wrap gap-1">
                {provider.has_secrets.map(name => (
                  <Chip key={name}>{name}</Chip>
                ))}
              </span>,
            ],
            provider.breaker.changed_at !== null && [
              'State since',
              <Time key="changed" value={provider.breaker.changed_at} />,
            ],
            ['Created', <Time key="created" value={provider.created_at} />],
            ['Changed', <Time key="updated" value={provider.updated_at} />],
          ]}
        />
        <Link
          to="/audit-log"
          search={{ resource_id: provider.id } as never}
          className="mt-3 inline-block text-accent hover:underline"
        >
          Who changed it
        </Link>
      </Card>
      {kind?.reports_back && (
        <Card title="Reports">
          <div className="flex flex-col gap-2">
            {provider.callback_url ? (
              <>
                <p className="text-muted">
                  Enter this address at {kind.title}, so that it reports what was delivered and what bounced.
                </p>
                <Command text={provider.callback_url} />
              </>
            ) : (
              <p className="text-muted">
                {kind.title} can report what was delivered and what bounced. Its address appears here once the
                server knows its own: set <code className="font-mono text-code">CARILLON_PUBLIC_URL</code>.
              </p>
            )}
          </div>
        </Card>
      )}
    </>
  )
}

/** Where it stands among the providers of its channel. */
function Place({ provider }: { provider: Provider }) {
  const { data } = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.providers.list({ signal }),
  })
  const order = data?.data
    .filter(({ channel, is_active }) => channel === provider.channel && is_active)
    .toSorted(byPriority)
  const place = order?.findIndex(({ id }) => id === provider.id) ?? -1
  const words =
    order === undefined || place < 0
      ? ''
      : order.length === 1
        ? ', the only one'
        : place === 0
          ? `, tried first of ${order.length}`
          : `, tried after ${order[place - 1]!.name}`
  return (
    <span>
      Priority {provider.priority}
      {words}
    </span>
  )
}
