/** What is known about a notification apart from its story, with the ways to its neighbours. */
import type { RecordDetail } from '@carillon/contract'
import { addressOf } from '../../shell/addresses.ts'
import { AUDIENCE_NAMES } from '../../ui/audience.ts'
import { ChannelChips } from '../../ui/channel.tsx'
import { Id } from '../../ui/copy.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { Chip, Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ShortTime, Time } from '../../ui/time.tsx'
import { countsOf } from './decisions.ts'

export function RecordFacts({ record }: { record: RecordDetail }) {
  const { notification_type, event_id, topic, thread, template, run_id, reason, relation } = record
  return (
    <>
      <RecordCounts record={record} />
      <Card title="Facts">
        <Facts
          facts={[
            [
              'Type',
              <TextLink key="type" to={addressOf('notification_type', notification_type)}>
                {notification_type}
              </TextLink>,
            ],
            ['Accepted', <Time key="accepted" value={record.accepted_at} />],
            ['Happened', record.occurred_at && <Time value={record.occurred_at} />],
            ['Not before', record.send_at && <ShortTime value={record.send_at} />],
            ['Local time', record.send_at_local],
            ['Expires', record.expires_at && <ShortTime value={record.expires_at} />],
            ['Cancelled', record.cancelled_at && <Time value={record.cancelled_at} />],
            [
              'Producer',
              <TextLink key="producer" to="/activity" search={{ producer: record.producer }}>
                {record.producer}
              </TextLink>,
            ],
            ['Source', record.source],
            ['Entry', record.source_entry_id && <Id value={record.source_entry_id} />],
            ['Audience', AUDIENCE_NAMES[record.audience_kind]],
            ['Channels', <ChannelChips key="channels" channels={record.channels} />],
            ['Reason', reason && <Chip>{reason}</Chip>],
            ['Relation', relation && <Chip>{relation}</Chip>],
            [
              'Event',
              event_id && (
                <TextLink to={addressOf('event', event_id)} className="break-all">
                  {event_id}
                </TextLink>
              ),
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
                <TextLink to="/events" search={{ thread_kind: thread.kind, thread_id: thread.id }}>
                  {thread.kind} {thread.id}
                </TextLink>
              ),
            ],
            ['Template', template],
            ['Run', run_id && <Id value={run_id} />],
            ['Key', <Id key="key" value={record.idempotency_key} />],
            ['Request', record.request_id && <Id value={record.request_id} />],
            ['Trace', record.traceparent && <Id value={record.traceparent} />],
          ]}
        />
      </Card>
    </>
  )
}

function RecordCounts({ record }: { record: RecordDetail }) {
  const { notification_id: id } = record
  const counts = countsOf(record.routes)
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  return (
    <Card title="Messages">
      {all === 0 ? (
        <p className="text-muted">None yet.</p>
      ) : (
        <dl className="flex flex-col gap-1.5">
          {counts.map(([status, count]) => (
            <div key={status} className="flex items-center justify-between gap-3">
              <dt>
                <Status status={status} />
              </dt>
              <dd className="tabular">{count.toLocaleString('en')}</dd>
            </div>
          ))}
          <div className="mt-1 flex items-center justify-between gap-3 border-t border-border pt-2">
            <dt className="text-muted">All</dt>
            <dd className="tabular">{all.toLocaleString('en')}</dd>
          </div>
        </dl>
      )}
      <p className="mt-2 flex flex-wrap gap-x-3 text-sm empty:hidden">
        {(record.routes.dead ?? 0) > 0 && (
          <TextLink to="/dead-letters" search={{ notification_id: id }}>
            Its dead letters
          </TextLink>
        )}
        {(record.routes.sent ?? 0) > 0 && (
          <TextLink to="/captured" search={{ notification_id: id }}>
            What was captured
          </TextLink>
        )}
      </p>
      {record.expanded_at === null && (
        <p className="mt-2 text-muted">The audience is large and is still being turned into messages.</p>
      )}
    </Card>
  )
}
