/** A record and its explanation, asked for again while something is still under way. */
import type { RecordDetail } from '@carillon/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../app/api.ts'
import { isUnderway } from './decisions.ts'

/** The most that the API gives at once: it counts messages here, not people. */
const MESSAGES = 100
const FRESH_MS = 30_000

/** Often at first, when most of it happens; never once everything is over. */
function pace(record: RecordDetail | undefined): number | false {
  if (record === undefined) return 2_000
  if (record.expanded_at !== null && !isUnderway(record.routes)) return false
  return Date.now() - Date.parse(record.accepted_at) < FRESH_MS ? 1_000 : 5_000
}

export function useRecord(id: string) {
  return useQuery({
    queryKey: ['records', id],
    queryFn: ({ signal }) => api.records.get(id, { signal }),
    refetchInterval: ({ state }) => (state.error ? false : pace(state.data)),
  })
}

/** More pages than this are not asked for again on their own. */
const FRESH_PAGES = 3

export function useExplanation(record: RecordDetail, userId: string | undefined) {
  const { notification_id: id } = record
  const query = useInfiniteQuery({
    queryKey: ['records', id, 'explain', userId ?? ''],
    queryFn: ({ pageParam, signal }) =>
      api.records.explain(
        id,
        {
          limit: MESSAGES,
          ...(userId !== undefined && { user_id: userId }),
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next_cursor ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > FRESH_PAGES ? false : pace(record)),
  })
  // Whatever changes the counts also changes the story, the last time too, when nothing is under way any more.
  const counts = JSON.stringify(record.routes)
  const told = useRef(counts)
  const { refetch } = query
  useEffect(() => {
    if (told.current === counts) return
    told.current = counts
    void refetch()
  }, [counts, refetch])
  return query
}
