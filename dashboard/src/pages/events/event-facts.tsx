import type { AppliedRule, DomainEvent } from '@carillon/contract'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Id } from '../../ui/copy.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { Person } from '../../ui/recipient.tsx'
import { Chip } from '../../ui/status.tsx'
import { OutsideLink, TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'

export function EventFacts({ event, notifications }: { event: DomainEvent; notifications: string[] }) {
  const { actor_id, topic, thread, source_kind, source_id, kind } = event
  return (
    <Card title="Facts">
      <Facts
        facts={[
          ['Happened', <Time key="happened" value={event.occurred_at} />],
          ['Accepted', <Time key="accepted" value={event.created_at} />],
          ['Done by', actor_id === null ? 'The system' : <Person key="actor" userId={actor_id} />],
          [
            'Kind',
            <TextLink key="kind" to="/events" search={{ kind }}>
              {kind}
            </TextLink>,
          ],
          [
            'Topic',
            topic && (
              <TextLink to="/events" search={{ topic }}>
                {topic}
              </TextLink>
            ),
          ],
          [
            'Thread',
            thread && (
              <>
                <TextLink to="/events" search={{ thread_kind: thread.kind, thread_id: thread.id }}>
                  {thread.kind} {thread.id}
                </TextLink>
                {thread.title && (
                  <div className="mt-2">
                    {thread.url ? <OutsideLink url={thread.url}>{thread.title}</OutsideLink> : thread.title}
                  </div>
                )}
              </>
            ),
          ],
          ['Source', source_kind && `${source_kind} ${source_id}`],
          ['Visible', event.is_public ? 'to everybody' : 'to members only'],
          ['Producer', event.producer],
          ['Place in the log', event.id?.toLocaleString('en')],
          ['Key', event.idempotency_key && <Id value={event.idempotency_key} />],
          ['Request', event.request_id && <Id value={event.request_id} />],
          [
            'Came of it',
            notifications.length > 0 && (
              <TextLink to="/activity" search={{ event_id: event.event_id }}>
                {notifications.length === 1
                  ? '1 notification'
                  : `${notifications.length.toLocaleString('en')} notifications`}
              </TextLink>
            ),
          ],
        ]}
      />
    </Card>
  )
}

export function EventRules({ rules }: { rules: AppliedRule[] }) {
  return (
    <Card title="Rules for this kind">
      {rules.length === 0 ? (
        <p className="text-muted">There is none, so nobody is told.</p>
      ) : (
        <ol className="flex flex-col gap-2.5">
          {rules.map(({ event_kind, relation, channels, passes_mute, is_built_in }) => (
            <li key={`${event_kind} ${relation}`} className="flex flex-col gap-0.5">
              <span className="flex flex-wrap items-center gap-1.5">
                <Chip>{relation}</Chip>
                {channels.length === 0
                  ? 'nothing'
                  : channels.map(channel => CHANNEL_NAMES[channel]).join(', ')}
              </span>
              <span className="text-sm text-muted">
                {is_built_in ? 'Built in' : `For ${event_kind}`}
                {passes_mute && ', reaches also who muted it'}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
