/** Addresses that get nothing more. */
import type { Suppression } from '@carillon/contract'
import { Ban } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES, CHANNEL_OPTIONS, ChannelName } from '../../ui/channel.tsx'
import { Id } from '../../ui/copy.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { SuppressDialog } from './suppress-dialog.tsx'
import { useLift } from './use-lift.ts'
import { REASON_WORDS } from './words.ts'

export default function SuppressionsPage() {
  const filters = useFilters(['channel', 'address'])
  const { channel, address } = filters.values
  const query = {
    ...(channel && { channel: channel as Suppression['channel'] }),
    ...(address && { address }),
  }
  const [isAdding, setAdding] = useState(false)
  const mayWrite = useMay('suppressions:write')
  const lift = useLift()
  const list = useRows(['suppressions', 'list', query], (position, options) =>
    api.suppressions.list({ ...query, ...position }, options),
  )
  const refusal = !mayWrite && 'You need suppressions:write for this: ask an owner.'
  const add = (kind: 'primary' | 'secondary') => (
    <Button kind={kind} refusal={refusal} onClick={() => setAdding(true)}>
      Suppress an address
    </Button>
  )
  const columns: Column<Suppression>[] = [
    {
      title: 'Address',
      cell: row => <Id value={row.address} className="text-text" />,
      csv: row => row.address,
    },
    {
      title: 'Channel',
      width: 'w-24',
      from: 'lg',
      cell: row => <ChannelName channel={row.channel} />,
      csv: row => CHANNEL_NAMES[row.channel],
    },
    {
      title: 'Reason',
      width: 'w-40',
      from: 'md',
      cell: ({ reason }) => REASON_WORDS[reason],
      csv: ({ reason }) => reason,
    },
    {
      title: 'Detail',
      from: 'lg',
      cell: ({ detail }) => (
        <span className="text-muted" dir="auto" title={detail}>
          {detail || '–'}
        </span>
      ),
      csv: ({ detail }) => detail,
    },
    {
      title: 'Since',
      width: 'w-28',
      from: 'md',
      cell: ({ created_at }) => <Time value={created_at} />,
      csv: ({ created_at }) => created_at,
    },
    {
      title: 'Action',
      width: 'w-20',
      cell: row => (
        <Button size="small" kind="quiet" refusal={refusal} onClick={() => lift(row)}>
          Lift
        </Button>
      ),
    },
  ]
  return (
    <Page
      title="Suppressions"
      lead="Addresses that get nothing more: after a hard bounce, a complaint, or because somebody said so. What goes there is skipped."
      actions={add('primary')}
    >
      <ListCard
        label="Suppressions"
        list={list}
        columns={columns}
        idOf={row => `${row.channel} ${row.address}`}
        filters={filters}
        search={{ name: 'address', placeholder: 'A whole address' }}
        choices={[
          {
            name: 'channel',
            label: 'Channel',
            options: CHANNEL_OPTIONS.filter(({ value }) => value !== 'in_app'),
          },
        ]}
        empty={
          <Empty
            icon={Ban}
            title="Every address gets its messages"
            text="When a service reports that a mailbox does not exist, or that somebody complained, Carillon stops sending there by itself and says so here."
            action={add('secondary')}
          />
        }
      />
      {isAdding && <SuppressDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}
