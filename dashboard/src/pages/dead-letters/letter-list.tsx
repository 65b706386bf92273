/** One letter per row, with everything one may narrow it to. */
import type { DeadLetter } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES, ChannelName } from '../../ui/channel.tsx'
import type { Column } from '../../ui/data-table.tsx'
import type { FilterChoice } from '../../ui/filter-bar.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Recipient } from '../../ui/recipient.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeFilter } from '../../ui/time-filter.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { Filters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { useSelection } from '../../ui/use-selection.ts'
import type { Bulk } from './bulk-dialog.tsx'
import { type FilterName, filterOf, stateOf } from './filters.ts'
import { isOpen, nameOf, RESOLUTION_WORDS, sayFailureReason } from './words.ts'

const COLUMNS: Column<DeadLetter>[] = [
  {
    title: 'Failed',
    width: 'w-28',
    cell: ({ created_at }) => <Time value={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  {
    title: 'What',
    width: 'w-44 max-md:w-auto',
    cell: letter => <span className="font-medium">{nameOf(letter)}</span>,
    csv: nameOf,
  },
  {
    title: 'To',
    width: 'w-44',
    from: 'md',
    cell: ({ recipient_ref }) => <Recipient value={recipient_ref} />,
    csv: ({ recipient_ref }) => recipient_ref,
  },
  {
    title: 'Channel',
    width: 'w-24',
    from: 'lg',
    cell: ({ channel, source }) => (channel === null ? source : <ChannelName channel={channel} />),
    csv: ({ channel, source }) => (channel === null ? source : CHANNEL_NAMES[channel]),
  },
  {
    title: 'Provider',
    width: 'w-36',
    from: 'lg',
    cell: ({ provider }) => provider || <span className="text-muted">–</span>,
    csv: ({ provider }) => provider,
  },
  {
    title: 'Why',
    cell: ({ failure_reason, failure_message }) => (
      <span title={failure_message}>
        {sayFailureReason(failure_reason)}
        <span className="text-muted max-md:hidden" dir="auto">
          {' '}
          · {failure_message}
        </span>
      </span>
    ),
    csv: ({ failure_reason, failure_message }) => `${failure_reason}: ${failure_message}`,
  },
]

const STATE: Column<DeadLetter> = {
  title: 'State',
  width: 'w-36',
  from: 'md',
  cell: ({ resolution }) =>
    resolution === null ? (
      <Status status="open" />
    ) : (
      <Status status={resolution} label={RESOLUTION_WORDS[resolution]} />
    ),
  csv: ({ resolution }) => resolution ?? 'open',
}

interface LetterListProps {
  filters: Filters<FilterName>
  choices: FilterChoice<FilterName>[]
  refusal: string | false
  empty: ReactNode
  onBulk(bulk: Bulk): void
}

export function LetterList({ filters, choices, refusal, empty, onBulk }: LetterListProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const selection = useSelection()
  const filter = filterOf(filters.values)
  const state = stateOf(filters.values)
  const list = useRows(
    ['dead-letters', 'list', state, filter],
    (position, options) => api.deadLetters.list({ ...filter, state, ...position }, options),
    LIVE,
  )
  const replay = async (letter: DeadLetter) => {
    if (refusal) return toast(refusal, { tone: 'bad' })
    if (!isOpen(letter)) return toast('It was dealt with already.', { tone: 'bad' })
    try {
      await api.deadLetters.replay(letter.id)
      toast(`${nameOf(letter)} is sent again.`)
      void queryClient.invalidateQueries({ queryKey: ['dead-letters'] })
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
  }
  const onKey = (key: string, letter: DeadLetter) => {
    if (key === 'r') void replay(letter)
    if (key === 'e' && letter.notification_id !== null)
      void navigate({ to: `/activity/${letter.notification_id}` })
  }
  const ids = (list.rows ?? []).filter(row => isOpen(row) && selection.ids.has(row.id)).map(({ id }) => id)
  const bulkOf = (verb: Bulk['verb']): Bulk =>
    ids.length > 0
      ? { verb, target: { ids }, which: 'that you selected' }
      : { verb, target: { filter }, which: filters.isAny ? 'that match' : 'that are open' }
  const many = ids.length > 0 ? `${ids.length} selected` : filters.isAny ? 'all that match' : 'everything'
  return (
    <ListCard
      label="Dead letters"
      list={list}
      columns={state === 'open' ? COLUMNS : [...COLUMNS, STATE]}
      idOf={({ id }) => id}
      linkOf={({ id }) => `/dead-letters/${id}`}
      onKey={onKey}
      {...(state !== 'resolved' && !refusal && { selection })}
      filters={filters}
      choices={choices}
      moreFilters={<TimeFilter filters={filters} />}
      actions={
        state !== 'resolved' &&
        (list.rows?.length ?? 0) > 0 && (
          <>
            <Button size="small" refusal={refusal} onClick={() => onBulk(bulkOf('replay'))}>
              Replay {many}
            </Button>
            <Button size="small" kind="quiet" refusal={refusal} onClick={() => onBulk(bulkOf('ignore'))}>
              Ignore {many}
            </Button>
          </>
        )
      }
      empty={empty}
    />
  )
}
