/** What becomes of what was just sent, while one watches. */
import type { Accepted } from '@carillon/contract'
import { LinkButton } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { countsOf } from '../record/decisions.ts'
import { RecordStory } from '../record/record-story.tsx'
import { useRecord } from '../record/use-record.ts'

export function SentStory({ accepted }: { accepted: Accepted }) {
  const { notification_id: id, duplicate, warnings = [] } = accepted
  const { data: record, error } = useRecord(id)
  return (
    <>
      <Card
        title={duplicate ? 'Accepted before' : 'Accepted'}
        actions={
          <LinkButton size="small" to={`/activity/${id}`}>
            Open
          </LinkButton>
        }
      >
        <div className="flex flex-col gap-2">
          <div className="flex flex-wrap items-center gap-2">
            {record &&
              countsOf(record.routes).map(([status, count]) => (
                <Status key={status} status={status} label={`${count.toLocaleString('en')} ${status}`} />
              ))}
            <Id value={id} />
          </div>
          {duplicate && (
            <Notice tone="warn">The same key and content were accepted before; nothing was added.</Notice>
          )}
          {warnings.map(({ code, detail }) => (
            <Notice key={code} tone="warn">
              {detail}
            </Notice>
          ))}
        </div>
      </Card>
      {record ? (
        <RecordStory record={record} />
      ) : error ? (
        <Card>
          <Problem error={error} />
        </Card>
      ) : (
        <Card>
          <Skeleton className="h-32 w-full" />
        </Card>
      )}
    </>
  )
}
