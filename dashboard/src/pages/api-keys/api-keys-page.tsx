/** What applications and scripts sign in with. */
import type { ApiKey } from '@carillon/contract'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { KeySheet } from './key-sheet.tsx'
import { KeyStatus, keyState } from './key-state.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { sayScopes } from './scopes.ts'

const COLUMNS: Column<ApiKey>[] = [
  {
    title: 'State',
    width: 'w-28',
    csv: key => keyState(key).label,
    cell: key => <KeyStatus apiKey={key} />,
  },
  {
    title: 'Name',
    csv: ({ name }) => name,
    cell: ({ name, user_id }) => (
      <span title={name}>
        <span className="font-medium">{name}</span>
        {user_id !== null && <span className="ml-2 text-muted">as {user_id}</span>}
      </span>
    ),
  },
  {
    title: 'Begins with',
    from: 'md',
    width: 'w-32',
    csv: ({ hint }) => hint,
    cell: ({ hint }) => <span className="font-mono text-code text-muted">{hint}</span>,
  },
  {
    title: 'May do',
    from: 'lg',
    width: 'w-80',
    csv: ({ scopes }) => scopes?.join(' '),
    cell: ({ scopes }) => <span title={scopes?.join('\n')}>{sayScopes(scopes)}</span>,
  },
  {
    title: 'Last used',
    width: 'w-28',
    csv: ({ last_used_at }) => last_used_at,
    cell: ({ last_used_at }) =>
      last_used_at === null ? (
        <span className="text-muted">never</span>
      ) : (
        <Time value={last_used_at} className="text-muted" />
      ),
  },
  {
    title: 'Expires',
    from: 'md',
    width: 'w-28',
    csv: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) =>
      expires_at === null ? (
        <span className="text-muted">never</span>
      ) : (
        <Time value={expires_at} className="text-muted" />
      ),
  },
]

const STATES = ['active', 'revoked'] as const

export default function ApiKeysPage() {
  const mayWrite = useMay('api_keys:write')
  const filters = useFilters(['state', 'user_id'])
  const state = STATES.find(each => each === filters.values.state)
  const { user_id } = filters.values
  const [isAdding, setAdding] = useState(false)
  const [opened, setOpened] = useState<ApiKey>()
  const list = useRows<ApiKey>(['api-keys', state, user_id], (position, options) =>
    api.apiKeys.list({ ...position, ...(state && { state }), ...(user_id && { user_id }) }, options),
  )
  const add = (kind: 'primary' | 'secondary') => (
    <Button
      kind={kind}
      refusal={!mayWrite && 'You need api_keys:write: ask an owner'}
      onClick={() => setAdding(true)}
    >
      <Plus size={14} aria-hidden="true" />
      Create a key
    </Button>
  )
  return (
    <Page
      title="API keys"
      lead="What applications and people on the command line sign in with. Give each its own, with the one or two scopes that it needs."
      actions={add('primary')}
    >
      <ListCard
        label="API keys"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={key => setOpened(key)}
        filters={filters}
        choices={[
          { name: 'state', label: 'State', options: STATES },
          { name: 'user_id', label: 'Person' },
        ]}
        empty={
          <Empty
            icon={KeyRound}
            title="There are no keys"
            text="An application needs one to send notifications."
            command="npx carillon api-keys create shop --scope intents:write"
            action={add('secondary')}
          />
        }
      />
      <KeySheet apiKey={opened} onClose={() => setOpened(undefined)} />
      <NewKeyDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  )
}
