import type { Trigger } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { changedValues } from '../../ui/changed-values.ts'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { refreshTriggers } from './trigger-changes.ts'
import { TRIGGER_FIELDS, triggerDraft, triggerValues } from './trigger-draft.ts'
import { TriggerForm } from './trigger-form.tsx'

export function TriggerSettings({ trigger }: { trigger: Trigger }) {
  const { id, kind } = trigger
  const mayWrite = useMay('triggers:write')
  const [opened, setOpened] = useState(() => triggerDraft(trigger))
  const [draft, change] = useDraft(opened)
  const saving = useSave(async () => {
    // Also because saying the same again would make it run as somebody else.
    await api.triggers.update(id, changedValues(triggerValues(kind, opened), triggerValues(kind, draft)))
    setOpened(draft)
    await refreshTriggers()
    toast('The trigger is saved.')
  }, TRIGGER_FIELDS)
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={event => {
        event.preventDefault()
        void saving.save(undefined)
      }}
    >
      {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
      <fieldset disabled={!mayWrite} className="contents">
        <TriggerForm kind={kind} draft={draft} onChange={change} errorOf={saving.errorOf} />
      </fieldset>
      <p className="text-muted">
        With another script, configuration or mode, it runs as you from then on, with what you may do.
      </p>
      <div>
        <Button
          type="submit"
          kind="primary"
          isBusy={saving.isBusy}
          refusal={!mayWrite && 'You need triggers:write: ask an owner'}
        >
          Save
        </Button>
      </div>
    </form>
  )
}
