/** The search of the activity: an id opens its notification, anything else narrows the list. */
import { useNavigate } from '@tanstack/react-router'
import { MeaningSearch } from '../../ui/meaning-search.tsx'
import { choicesFor, type SearchChoice } from './search-choices.ts'

interface ActivitySearchProps {
  types: readonly string[]
  /** Which of the meanings the list can be narrowed to. */
  kinds: readonly SearchChoice['kind'][]
  onChoose(name: Exclude<SearchChoice['kind'], 'record'>, value: string): void
}

export function ActivitySearch({ types, kinds, onChoose }: ActivitySearchProps) {
  const navigate = useNavigate()
  return (
    <MeaningSearch
      hint={kinds.includes('idempotency_key') ? 'Person, key, type or id' : 'Person, type or id'}
      choicesFor={text => choicesFor(text, types).filter(({ kind }) => kinds.includes(kind))}
      onChoose={({ kind, value }) => {
        if (kind === 'record') void navigate({ to: `/activity/${value}` })
        else onChoose(kind, value)
      }}
    />
  )
}
