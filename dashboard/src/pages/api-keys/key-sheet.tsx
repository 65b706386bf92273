/** One key: what it may do, who used it when, and the end of it. */
import type { ApiKey } from '@carillon/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { KeyStatus } from './key-state.tsx'
import { SCOPE_WORDS } from './scopes.ts'

interface KeySheetProps {
  apiKey: ApiKey | undefined
  onClose(): void
}

export function KeySheet({ apiKey, onClose }: KeySheetProps) {
  const mayWrite = useMay('api_keys:write')
  const [isRevoking, setRevoking] = useState(false)
  const revoke = async () => {
    await api.apiKeys.delete(apiKey!.id)
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] })
    toast(`The key ${apiKey!.name} does not work any more.`)
    onClose()
  }
  return (
    <>
      <Dialog
        title={apiKey?.name ?? ''}
        isSheet
        isOpen={apiKey !== undefined && !isRevoking}
        onClose={onClose}
        footer={
          apiKey?.is_active && (
            <Button
              kind="danger"
              refusal={!mayWrite && 'You need api_keys:write: ask an owner'}
              onClick={() => setRevoking(true)}
            >
              Revoke
            </Button>
          )
        }
      >
        {apiKey && <KeyView apiKey={apiKey} />}
      </Dialog>
      <Confirm
        title={`Revoke the key ${apiKey?.name}?`}
        action="Revoke"
        isOpen={isRevoking}
        onClose={() => setRevoking(false)}
        onConfirm={revoke}
      >
        {apiKey && <Consequence apiKey={apiKey} />}
      </Confirm>
    </>
  )
}

function Consequence({ apiKey: { last_used_at, user_id } }: { apiKey: ApiKey }) {
  return (
    <div className="flex flex-col gap-2">
      <p>
        Whatever signs in with it is refused at once, and this cannot be undone.{' '}
        {last_used_at === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <Time value={last_used_at} />.
          </>
        )}
      </p>
      {user_id === null && <p>Triggers that were registered with it are deleted.</p>}
    </div>
  )
}

function KeyView({ apiKey }: { apiKey: ApiKey }) {
  const { scopes, producers, user_id } = apiKey
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={[
          ['State', <KeyStatus key="state" apiKey={apiKey} />],
          ['Id', <Id key="id" value={apiKey.id} />],
          [
            'Begins with',
            <code key="hint" className="font-mono text-code">
              {apiKey.hint}
            </code>,
          ],
          user_id !== null && [
            'Acts as',
            <Link
              key="user"
              to={`/people/${encodeURIComponent(user_id)}`}
              className="text-accent hover:underline"
            >
              {user_id}
            </Link>,
          ],
          producers !== null && ['Producers', producers.join(', ')],
          ['Last used', <Time key="used" value={apiKey.last_used_at} />],
          ['Expires', <Time key="expires" value={apiKey.expires_at} />],
          ['Created', <Time key="created" value={apiKey.created_at} />],
        ]}
      />
      <section className="flex flex-col gap-2">
        <h3 className="text-lg">May do</h3>
        <dl className="flex flex-col gap-2">
          {(scopes ?? []).map(scope => (
            <div key={scope}>
              <dt className="font-mono text-code">{scope}</dt>
              <dd className="text-sm text-muted">{SCOPE_WORDS[scope]}</dd>
            </div>
          ))}
        </dl>
        {!scopes?.length && <p className="text-muted">Nothing: it has no scopes.</p>}
      </section>
      <Link
        to="/audit-log"
        search={{ api_key_id: apiKey.id } as never}
        className="self-start text-accent hover:underline"
      >
        What was changed with it
      </Link>
    </div>
  )
}
