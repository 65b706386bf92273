/** The draft of this tab; its type also stands in the address. */
import type { NotificationType } from '@carillon/contract'
import { useEffect, useState } from 'react'
import { useFilters } from '../../ui/use-filters.ts'
import { allowedAudiences } from './audience-fields.tsx'
import { type Draft, EMPTY_DRAFT, keepDraft, readDraft, starterOf } from './draft.ts'

/** The draft for another type: what the type does not allow is changed, and what somebody typed stays. */
export function withType(draft: Draft, name: string, types: readonly NotificationType[]): Draft {
  const before = types.find(type => type.name === draft.type)
  const type = types.find(each => each.name === name)
  const isUntouched = [EMPTY_DRAFT.payload, before && starterOf(before), ''].includes(draft.payload)
  const audiences = allowedAudiences(type)
  const producers = type?.producers ?? []
  return {
    ...draft,
    type: name,
    channels: [],
    payload: type && isUntouched ? starterOf(type) : draft.payload,
    audience: audiences.includes(draft.audience) ? draft.audience : audiences[0]!,
    producer: producers.length > 0 && !producers.includes(draft.producer) ? producers[0]! : draft.producer,
  }
}

export function useDraft(types: NotificationType[] | undefined) {
  const { values, set } = useFilters(['type'])
  const [draft, setDraft] = useState(readDraft)
  useEffect(() => keepDraft(draft), [draft])
  // A link that names a type begins with it, once it is known what the type asks for.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed afterwards is not overridden
  useEffect(() => {
    if (types !== undefined && values.type && values.type !== draft.type)
      setDraft(before => withType(before, values.type!, types))
  }, [types === undefined, values.type])
  return {
    draft,
    change: (changes: Partial<Draft>) => setDraft(before => ({ ...before, ...changes })),
    choose(name: string) {
      setDraft(before => withType(before, name, types ?? []))
      set({ type: name || undefined })
    },
  }
}
