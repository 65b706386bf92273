import type { Webhook } from '@carillon/contract'
import { useState } from 'react'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { changedValues } from '../../ui/changed-values.ts'
import { Notice } from '../../ui/problem.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { changeWebhook } from './webhook-changes.ts'
import { WEBHOOK_FIELDS, webhookDraft, webhookValues } from './webhook-draft.ts'
import { WebhookForm } from './webhook-form.tsx'

export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const mayWrite = useMay('webhooks:write')
  const [opened, setOpened] = useState(() => webhookDraft(webhook))
  const [draft, change] = useDraft(opened)
  const saving = useSave(async () => {
    const changes = changedValues(webhookValues(opened), webhookValues(draft))
    await changeWebhook(webhook, changes, 'The webhook is saved.')
    change({ headers: undefined })
    setOpened({ ...draft, headers: undefined })
  }, WEBHOOK_FIELDS)
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
        <WebhookForm webhook={webhook} draft={draft} onChange={change} errorOf={saving.errorOf} />
      </fieldset>
      <div>
        <Button
          type="submit"
          kind="primary"
          isBusy={saving.isBusy}
          refusal={!mayWrite && 'You need webhooks:write: ask an owner'}
        >
          Save
        </Button>
      </div>
    </form>
  )
}
