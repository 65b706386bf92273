/** Everybody who can be told something. */
import type { User } from '@carillon/contract'
import { Plus, Users } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../app/session.tsx'
import { addressOf } from '../../shell/addresses.ts'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { findPeople } from './find-people.ts'
import { nameOf } from './name.ts'
import { PersonDialog } from './person-dialog.tsx'

const COLUMNS: Column<User>[] = [
  {
    title: 'Name',
    cell: user => (
      <bdi className="font-medium" title={nameOf(user)}>
        {nameOf(user)}
      </bdi>
    ),
    csv: ({ username }) => username,
  },
  { title: 'Id', cell: ({ id }) => <Id value={id} />, csv: ({ id }) => id },
  {
    title: 'Email',
    from: 'md',
    cell: ({ email }) => <span title={email ?? ''}>{email ?? <span className="text-muted">–</span>}</span>,
    csv: ({ email }) => email,
  },
  {
    title: 'Phone',
    width: 'w-36',
    from: 'lg',
    cell: ({ phone }) => <span className="tabular">{phone ?? <span className="text-muted">–</span>}</span>,
    csv: ({ phone }) => phone,
  },
  {
    title: 'Locale',
    width: 'w-20',
    from: 'lg',
    cell: ({ locale }) => locale || <span className="text-muted">–</span>,
    csv: ({ locale }) => locale,
  },
  {
    title: 'Time zone',
    width: 'w-40',
    from: 'xl',
    cell: ({ timezone }) => timezone,
    csv: ({ timezone }) => timezone,
  },
  {
    title: 'Changed',
    width: 'w-28',
    from: 'xl',
    cell: ({ updated_at }) => <Time value={updated_at} />,
    csv: ({ updated_at }) => updated_at,
  },
]

export default function PeoplePage() {
  const filters = useFilters(['q'])
  const [isCreating, setCreating] = useState(false)
  const mayWrite = useMay('users:write')
  const text = filters.values.q
  const list = useRows(['people', 'list', text], (position, options) => findPeople(text, position, options))
  const create = (kind: 'primary' | 'secondary') => (
    <Button
      kind={kind}
      refusal={!mayWrite && 'You need users:write to create people: ask an owner.'}
      onClick={() => setCreating(true)}
    >
      <Plus size={14} aria-hidden="true" />
      Create a person
    </Button>
  )
  return (
    <Page
      title="People"
      lead="Everybody who can be told something, under the ids of your own application."
      actions={create('primary')}
    >
      <ListCard
        label="People"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        linkOf={({ id }) => addressOf('user', id)}
        filters={filters}
        search={{ name: 'q', placeholder: 'Id, email or username' }}
        empty={
          <Empty
            icon={Users}
            title="Nobody is here yet"
            text="Your application tells Carillon about its people, under its own ids; then notifications can name them."
            command={COMMAND}
            action={create('secondary')}
          />
        }
      />
      {isCreating && <PersonDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}

const COMMAND = `curl -X PUT ${location.origin}/v1/users/ada \\
  -H "authorization: Bearer $CARILLON_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"email": "ada@example.com"}'`
