/** First the kind, then its form. */
import type { NewTrigger, TriggerKind } from '@carillon/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useFilters } from '../../ui/use-filters.ts'
import { useSave } from '../../ui/use-save.ts'
import { HookAddress } from './hook-address.tsx'
import { refreshTriggers } from './trigger-changes.ts'
import { newTriggerDraft, TRIGGER_FIELDS, triggerValues } from './trigger-draft.ts'
import { TriggerForm } from './trigger-form.tsx'
import { KIND_NAMES, TRIGGER_KINDS } from './trigger-words.ts'

export default function NewTriggerPage() {
  const { values } = useFilters(['kind', 'script'])
  const kind = KIND_NAMES.find(each => each === values.kind)
  const script = values.script ?? ''
  return (
    <Page
      title="Add a trigger"
      lead={kind ? TRIGGER_KINDS[kind].help : 'Choose what has to happen for the script to run.'}
      actions={
        kind && (
          <LinkButton to="/triggers/new" search={{ script } as never}>
            Another kind
          </LinkButton>
        )
      }
    >
      {kind ? <NewTriggerForm key={kind} kind={kind} scriptId={script} /> : <Kinds script={script} />}
    </Page>
  )
}

function Kinds({ script }: { script: string }) {
  return (
    <div className="grid gap-2 md:grid-cols-2 xl:grid-cols-3">
      {KIND_NAMES.map(kind => {
        const { title, help, icon: Icon } = TRIGGER_KINDS[kind]
        return (
          <Link
            key={kind}
            to="/triggers/new"
            search={{ kind, script } as never}
            className="flex items-start gap-3 rounded-card border border-border bg-surface p-3 hover:border-control hover:bg-hover"
          >
            <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
            <span>
              <span className="font-medium">{title}</span>
              <span className="block text-sm text-muted">{help}</span>
            </span>
          </Link>
        )
      })}
    </div>
  )
}

function NewTriggerForm({ kind, scriptId }: { kind: TriggerKind; scriptId: string }) {
  const mayWrite = useMay('triggers:write')
  const navigate = useNavigate()
  const [draft, change] = useDraft(() =>
    newTriggerDraft(scriptId, Intl.DateTimeFormat().resolvedOptions().timeZone),
  )
  const [created, setCreated] = useState<{ id: string; url: string }>()
  const saving = useSave(async () => {
    const trigger = await api.triggers.create({ kind, ...triggerValues(kind, draft) } as NewTrigger)
    await refreshTriggers()
    if (trigger.kind === 'http') return setCreated(trigger)
    toast(`${trigger.name} is switched on.`)
    await navigate({ to: `/triggers/${trigger.id}` })
  }, TRIGGER_FIELDS)
  return (
    <form
      noValidate
      className="flex max-w-[46rem] flex-col gap-4"
      onSubmit={event => {
        event.preventDefault()
        void saving.save(undefined)
      }}
    >
      {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
      <TriggerForm kind={kind} draft={draft} onChange={change} errorOf={saving.errorOf} />
      <p className="text-muted">It runs as you, with what you may do now.</p>
      <div className="flex gap-2">
        <Button
          type="submit"
          kind="primary"
          isBusy={saving.isBusy}
          refusal={!mayWrite && 'You need triggers:write: ask an owner'}
        >
          Add the trigger
        </Button>
        <LinkButton to="/triggers" kind="quiet">
          Cancel
        </LinkButton>
      </div>
      <HookAddress
        url={created?.url}
        method={draft.methods[0] ?? 'POST'}
        onClose={() => void navigate({ to: `/triggers/${created!.id}` })}
      />
    </form>
  )
}
