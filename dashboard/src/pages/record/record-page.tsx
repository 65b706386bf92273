/** One notification: "I never got it" is answered here. */
import type { RecordDetail } from '@carillon/contract'
import { useParams } from '@tanstack/react-router'
import { Id } from '../../ui/copy.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card, Columns, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { countsOf } from './decisions.ts'
import { RecordActions } from './record-actions.tsx'
import { RecordFacts } from './record-facts.tsx'
import { RecordRoutes } from './record-routes.tsx'
import { RecordStory } from './record-story.tsx'
import { useRecord } from './use-record.ts'

export default function RecordPage() {
  const { id = '' } = useParams({ strict: false })
  const { data: record, error, refetch } = useRecord(id)
  if (error && record === undefined)
    return (
      <Page title="Notification" about={<Id value={id} />}>
        <Card>
          <Problem error={error} onRetry={() => void refetch()} />
        </Card>
      </Page>
    )
  if (record === undefined) return <PageSkeleton />
  return (
    <Page
      title={record.notification_type}
      about={
        <>
          <StatusMarks record={record} />
          <Id value={id} />
        </>
      }
      actions={<RecordActions record={record} />}
    >
      <Columns main={<RecordTabs record={record} />} aside={<RecordFacts record={record} />} />
    </Page>
  )
}

function StatusMarks({ record }: { record: RecordDetail }) {
  return countsOf(record.routes).map(([status, count]) => (
    <Status key={status} status={status} label={`${count.toLocaleString('en')} ${status}`} />
  ))
}

function RecordTabs({ record }: { record: RecordDetail }) {
  const { payload_json, ...rest } = record
  return (
    <Tabs
      label="Parts of the notification"
      tabs={[
        { value: 'story', title: 'Story', content: <RecordStory record={record} /> },
        { value: 'messages', title: 'Messages', content: <RecordRoutes record={record} /> },
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
  )
}
