/** Who heard of an event and by which rule, and who did not. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Sentence } from '../../ui/sentence.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { toneOf } from '../record/decisions.ts'
import { PersonSearch } from '../record/person-search.tsx'
import { EventPerson } from './event-person.tsx'

export function useEventExplanation(id: string, userId: string | undefined) {
  return useInfiniteQuery({
    queryKey: ['events', id, 'explain', userId ?? ''],
    queryFn: ({ pageParam, signal }) =>
      api.events.explain(
        id,
        {
          limit: 50,
          ...(userId !== undefined && { user_id: userId }),
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      ['done', 'dead_letter'].includes(state.data?.pages[0]?.status ?? 'done') ? false : 2_000,
  })
}

export function EventStory({ id }: { id: string }) {
  const { values, set } = useFilters(['person'])
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useEventExplanation(
    id,
    values.person,
  )
  if (error && data === undefined)
    return (
      <Card>
        <Problem error={error} onRetry={() => void refetch()} />
      </Card>
    )
  if (data === undefined)
    return (
      <Card>
        <Skeleton className="h-48 w-full" />
      </Card>
    )
  const { summary, decisions } = data.pages[0]!
  const people = data.pages.flatMap(page => page.people)
  // A remark about all of it, which is no moment.
  const remark = decisions.find(({ decision }) => decision === 'computed')
  return (
    <>
      <Card>
        <p className="mb-4 text-lg font-medium">
          <Sentence text={summary} />
        </p>
        <Timeline
          label="Decisions about the event as a whole"
          moments={decisions
            .filter(decision => decision !== remark)
            .map(({ at, decision, text }) => ({
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
          <PersonSearch
            value={values.person ?? ''}
            onChange={person => set({ person: person || undefined })}
          />
        }
      >
        {people.length === 0 ? (
          <Empty
            title="Nobody is concerned"
            text="No person stands in a relation to this event. Search for a person to see why they heard nothing."
          />
        ) : (
          <>
            {people.some(({ is_recorded }) => !is_recorded) && (
              <p className="border-b border-border px-4 py-2 text-sm text-muted">
                Where nothing was written down, this is computed from the rules and choices as they are now.
              </p>
            )}
            {people.map(person => (
              <EventPerson key={person.user_id} person={person} />
            ))}
          </>
        )}
        {hasNextPage && (
          <div className="flex justify-center border-t border-border p-2">
            <Button kind="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Load more people
            </Button>
          </div>
        )}
      </Card>
      {remark && <p className="text-sm text-muted">{remark.text}</p>}
    </>
  )
}
