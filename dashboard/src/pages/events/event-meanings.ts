/** What a text in the search of the events can mean. */
import type { Meaning } from '../../ui/meaning-search.tsx'

type Filter = Partial<Record<'kind' | 'topic' | 'actor_id' | 'thread_kind' | 'thread_id', string>>
export type EventMeaning = Meaning & { event?: string; filter: Filter }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function meaningsOf(text: string): EventMeaning[] {
  const value = text.trim()
  if (value === '') return []
  // A thread is two words, its kind and its id: issue 42.
  const [, kind, id] = value.match(/^(\S+)\s+(\S.*)$/) ?? []
  return [
    ...(UUID.test(value) ? [{ label: 'Open the event', value, event: value, filter: {} }] : []),
    ...(id === undefined ? [] : [{ label: 'Thread', value, filter: { thread_kind: kind!, thread_id: id } }]),
    { label: 'Kind', value, filter: { kind: value } },
    { label: 'Topic', value, filter: { topic: value } },
    { label: 'Done by', value, filter: { actor_id: value } },
  ]
}
