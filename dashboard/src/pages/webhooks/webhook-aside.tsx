import type { Webhook } from '@carillon/contract'
import { Link } from '@tanstack/react-router'
import { Card, Facts } from '../../ui/page.tsx'
import { Chip } from '../../ui/status.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'

const ORDERINGS: Record<Webhook['ordering'], string> = {
  none: 'In any order',
  notification: 'In order per notification',
  recipient: 'In order per recipient',
  endpoint: 'In order, all of them',
}

export function WebhookAside({ webhook }: { webhook: Webhook }) {
  const { waiting, consecutive_failures, disable_after, retry_count, retry_base_ms, rate_limit } = webhook
  return (
    <>
      <Card title="Facts">
        <Facts
          facts={[
            ['Waiting', waiting.toLocaleString('en')],
            [
              'Failures',
              <span key="failures" className={consecutive_failures > 0 ? 'text-bad' : ''}>
                {consecutive_failures} in a row
                {disable_after !== null && <span className="text-muted"> of {disable_after}</span>}
              </span>,
            ],
            webhook.user_id !== null && [
              'Person',
              <Link
                key="person"
                to={`/people/${encodeURIComponent(webhook.user_id)}`}
                className="text-accent hover:underline"
              >
                {webhook.user_id}
              </Link>,
            ],
            ['Order', ORDERINGS[webhook.ordering]],
            ['Retries', `${retry_count}, the first after ${sayDuration(retry_base_ms)}`],
            ['Rate limit', rate_limit === null ? 'No limit' : `${rate_limit.toLocaleString('en')} a minute`],
            ['Body', webhook.payload_mode === 'thin' ? 'Only ids' : 'Everything'],
            webhook.format === 'cloudevents' && ['Format', 'CloudEvents 1.0'],
            webhook.batch_size > 1 && ['Batches', `Up to ${webhook.batch_size} events`],
            webhook.secret_expires_at !== null && [
              'Old secret',
              <span key="secret">
                signs until <Time value={webhook.secret_expires_at} />
              </span>,
            ],
            ['Created', <Time key="created" value={webhook.created_at} />],
            ['Changed', <Time key="updated" value={webhook.updated_at} />],
          ]}
        />
        <div className="mt-3 flex flex-col items-start gap-1">
          <Link
            to="/dead-letters"
            search={{ target_id: webhook.id } as never}
            className="text-accent hover:underline"
          >
            Its dead letters
          </Link>
          <Link
            to="/audit-log"
            search={{ resource_id: webhook.id } as never}
            className="text-accent hover:underline"
          >
            Who changed it
          </Link>
        </div>
      </Card>
      <Card title="Events">
        <div className="flex flex-wrap gap-1">
          {webhook.events.map(name => (
            <Chip key={name}>{name}</Chip>
          ))}
        </div>
        <Narrowed label="Only types" words={webhook.notification_types} />
        <Narrowed label="Only categories" words={webhook.categories} />
        <Narrowed label="Only kinds" words={webhook.event_kinds} />
      </Card>
    </>
  )
}

function Narrowed({ label, words }: { label: string; words: string[] }) {
  if (words.length === 0) return null
  return (
    <p className="mt-2 text-sm break-words text-muted">
      {label} {words.join(', ')}
    </p>
  )
}
