import type { CreatedApiKey, KeyRole, Scope } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import { Command } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { listOf } from '../../ui/list-text.ts'
import { timeOf } from '../../ui/local-time.ts'
import { Notice } from '../../ui/problem.tsx'
import { RadioList } from '../../ui/radio-list.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { ROLES, SCOPE_AREAS, SCOPE_WORDS } from './scopes.ts'

interface KeyDraft {
  name: string
  role: KeyRole | 'scopes'
  scopes: Scope[]
  producers: string
  user_id: string
  expires_at: string
}

const EMPTY: KeyDraft = {
  name: '',
  role: 'scopes',
  scopes: ['intents:write'],
  producers: '',
  user_id: '',
  expires_at: '',
}

const valuesOf = ({ name, role, scopes, producers, user_id, expires_at }: KeyDraft) => ({
  name: name.trim(),
  ...(role === 'scopes' ? { scopes } : { role }),
  ...(producers.trim() && { producers: listOf(producers) }),
  ...(user_id.trim() && { user_id: user_id.trim() }),
  ...(expires_at && { expires_at: timeOf(expires_at) }),
})

export function NewKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [draft, change, replace] = useDraft(EMPTY)
  const [created, setCreated] = useState<CreatedApiKey>()
  const close = () => {
    replace(EMPTY)
    saving.clear()
    onClose()
  }
  const saving = useSave(async () => {
    setCreated(await api.apiKeys.create(valuesOf(draft)))
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] })
    close()
  }, ['name', 'scopes', 'role', 'producers', 'user_id', 'expires_at'])
  return (
    <>
      <Dialog
        title="Create an API key"
        isWide
        isOpen={isOpen}
        onClose={close}
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" isBusy={saving.isBusy} onClick={() => void saving.save(undefined)}>
              Create the key
            </Button>
          </>
        }
      >
        <KeyFields draft={draft} change={change} errorOf={saving.errorOf} problem={saving.problem} />
      </Dialog>
      <ShownOnce
        title={`The key ${created?.name ?? ''}`}
        secret={created?.key}
        onClose={() => setCreated(undefined)}
      >
        <p>Try it:</p>
        <Command text={trial(created)} />
      </ShownOnce>
    </>
  )
}

/** Something that it may do and that changes nothing. */
function trial(created: CreatedApiKey | undefined): string {
  const head = `curl ${location.origin}`
  const bearer = `-H "Authorization: Bearer ${created?.key}"`
  if (created?.scopes?.includes('intents:write'))
    return `${head}/v1/intents/simulate ${bearer} \\\n  -H "Content-Type: application/json" \\\n  -d '{"notification_type": "hello", "audience": {"kind": "tenant"}, "payload": {"text": "Hello"}}'`
  const isReader = created?.scopes?.some(scope => scope === 'admin' || scope === 'records:read')
  return `${head}/v1/${isReader ? 'records?limit=1' : 'tenant'} ${bearer}`
}

interface KeyFieldsProps {
  draft: KeyDraft
  change(changes: Partial<KeyDraft>): void
  errorOf(field: string): string | undefined
  problem: string | undefined
}

function KeyFields({ draft, change, errorOf, problem }: KeyFieldsProps) {
  const { scopes: own } = useSession()
  const mayGive = (scope: Scope) => own.includes(scope) || (own.includes('admin') && scope !== 'instance')
  return (
    <div className="flex flex-col gap-4">
      {problem && <Notice tone="bad">{problem}</Notice>}
      <Field label="Name" help="Who or what uses it." error={errorOf('name')}>
        <Input
          value={draft.name}
          autoComplete="off"
          placeholder="Order service"
          onChange={event => change({ name: event.target.value })}
        />
      </Field>
      <RadioList
        label="What it may do"
        options={[
          { value: 'scopes', label: 'Only some things', help: 'For applications: the one or two they need.' },
          ...ROLES,
        ]}
        chosen={draft.role}
        onChange={role => change({ role })}
        error={errorOf('role')}
      />
      {draft.role === 'scopes' && (
        <CheckList
          label={`Scopes (${draft.scopes.length} chosen)`}
          help="Nobody can give more than they have themselves."
          isDense
          groups={SCOPE_AREAS.map(({ title, scopes }) => ({
            title,
            items: scopes.map(scope => ({
              value: scope,
              label: scope,
              help: SCOPE_WORDS[scope],
              disabled: !mayGive(scope),
            })),
          }))}
          chosen={draft.scopes}
          onChange={scopes => change({ scopes })}
          error={errorOf('scopes')}
        />
      )}
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Field
          label="Expires"
          isOptional
          help="In your time zone. If left empty: never."
          error={errorOf('expires_at')}
        >
          <Input
            type="datetime-local"
            value={draft.expires_at}
            onChange={event => change({ expires_at: event.target.value })}
          />
        </Field>
        <Field
          label="Producers"
          isOptional
          help="Names with commas between them that it may send as, the first by default. If left empty: only its own."
          error={errorOf('producers')}
        >
          <Input value={draft.producers} onChange={event => change({ producers: event.target.value })} />
        </Field>
        <Field
          label="User id"
          isOptional
          help="The person it acts as, in the audit log and as producer."
          error={errorOf('user_id')}
        >
          <Input value={draft.user_id} onChange={event => change({ user_id: event.target.value })} />
        </Field>
      </div>
    </div>
  )
}
