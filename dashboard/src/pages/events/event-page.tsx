/** One event: who was told of it by which rule, or why not. */
import type { EventExplanation } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { Id } from '../../ui/copy.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card, Columns, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { EventFacts, EventRules } from './event-facts.tsx'
import { EventStory, useEventExplanation } from './event-story.tsx'

/** As the marks have them: the shape and colour, and what it is called. */
const STATUSES: Record<EventExplanation['status'], [status: string, label: string]> = {
  unordered: ['pending', 'just arrived'],
  waiting: ['pending', 'waiting'],
  in_progress: ['running', 'people are being told'],
  retrying: ['retrying', 'retrying'],
  dead_letter: ['dead', 'dead letter'],
  done: ['succeeded', 'done'],
}

export default function EventPage() {
  const { id = '' } = useParams({ strict: false })
  const {
    data: event,
    error,
    refetch,
  } = useQuery({
    queryKey: ['events', id],
    queryFn: ({ signal }) => api.events.get(id, { signal }),
  })
  const explanation = useEventExplanation(id, undefined).data?.pages[0]
  if (error && event === undefined)
    return (
      <Page title="Event" about={<Id value={id} />}>
        <Card>
          <Problem error={error} onRetry={() => void refetch()} />
        </Card>
      </Page>
    )
  if (event === undefined) return <PageSkeleton />
  const { payload_json, ...rest } = event
  const [status, label] = STATUSES[explanation?.status ?? 'done']
  return (
    <Page
      title={event.kind}
      about={
        <>
          {explanation && <Status status={status} label={label} />}
          <Id value={id} />
        </>
      }
    >
      <Columns
        main={
          <Tabs
            label="Parts of the event"
            tabs={[
              { value: 'story', title: 'Story', content: <EventStory id={id} /> },
              {
                value: 'payload',
                title: 'Payload',
                content: (
                  <Card>
                    <JsonView value={payload_json} />
                  </Card>
                ),
              },
              {
                value: 'raw',
                title: 'JSON',
                content: (
                  <Card>
                    <JsonView value={rest} />
                  </Card>
                ),
              },
            ]}
          />
        }
        aside={
          <>
            <EventFacts event={event} notifications={explanation?.notification_ids ?? []} />
            {explanation && <EventRules rules={explanation.rules} />}
          </>
        }
      />
    </Page>
  )
}
