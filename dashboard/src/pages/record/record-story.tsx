/** The explanation as a story: the notification as a whole, then each person, and for each person every channel. */
import type { RecordDetail } from '@carillon/contract'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Sentence } from '../../ui/sentence.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { mergePeople, toneOf } from './decisions.ts'
import { MessageSheet } from './message-sheet.tsx'
import { PersonLane } from './person-lane.tsx'
import { PersonSearch } from './person-search.tsx'
import type { ExplainedRoute } from './route-lane.tsx'
import { useExplanation } from './use-record.ts'

/** With more people than this, their lanes begin folded, and one can search for a person. */
const FEW = 3

export function RecordStory({ record }: { record: RecordDetail }) {
  const { values, set } = useFilters(['person'])
  const [shown, setShown] = useState<ExplainedRoute>()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useExplanation(
    record,
    values.person,
  )
  if (error && data === undefined)
    return (
      <Card>
        <Problem error={error} onRetry={() => void refetch()} />
      </Card>
    )
  if (data === undefined) return <StorySkeleton />
  const [first] = data.pages
  const people = mergePeople(data.pages)
  const isMany = people.length > FEW || values.person !== undefined
  return (
    <>
      <Card>
        <p className="mb-4 text-lg font-medium">
          <Sentence text={first!.summary} />
        </p>
        <Timeline
          label="Decisions about the notification as a whole"
          moments={first!.decisions.map(({ at, decision, text }) => ({
            at,
            tone: toneOf(decision),
            text: <Sentence text={text} />,
          }))}
        />
      </Card>
      <Card
        isFlush
        title={values.person === undefined ? 'People' : 'One person'}
        actions={
          isMany && (
            <PersonSearch
              value={values.person ?? ''}
              onChange={person => set({ person: person || undefined })}
            />
          )
        }
      >
        {people.length === 0 ? (
          values.person === undefined ? (
            <Empty title="Nobody yet" text="The audience has not become messages, or nobody is in it." />
          ) : (
            <Empty
              title="Not for this person"
              text={`Nothing of this notification was meant for “${values.person}”.`}
              action={<Button onClick={() => set({ person: undefined })}>Show everybody</Button>}
            />
          )
        ) : (
          people.map(person => (
            <PersonLane
              key={person.recipient_ref}
              notificationId={record.notification_id}
              acceptedAt={record.accepted_at}
              person={person}
              isOpenAtFirst={people.length <= FEW}
              isPartial={hasNextPage}
              onMessage={setShown}
            />
          ))
        )}
        {hasNextPage && (
          <div className="flex justify-center border-t border-border p-2">
            <Button kind="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Load more
            </Button>
          </div>
        )}
      </Card>
      {shown && (
        <MessageSheet
          notificationId={record.notification_id}
          route={shown}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  )
}

function StorySkeleton() {
  return (
    <Card>
      <div role="status" aria-label="Loading" className="flex flex-col gap-3">
        <Skeleton className="h-5 w-64" />
        <Skeleton className="h-24 w-full" />
        <Skeleton className="h-24 w-full" />
      </div>
    </Card>
  )
}
