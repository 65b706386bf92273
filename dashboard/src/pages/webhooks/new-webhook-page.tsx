import type { CreatedWebhook } from '@carillon/contract'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { SigningSecret } from './signing-secret.tsx'
import { refreshWebhooks } from './webhook-changes.ts'
import { WEBHOOK_FIELDS, webhookDraft, webhookValues } from './webhook-draft.ts'
import { WebhookForm } from './webhook-form.tsx'

export default function NewWebhookPage() {
  const mayWrite = useMay('webhooks:write')
  const navigate = useNavigate()
  const [draft, change] = useDraft(webhookDraft())
  const [userId, setUserId] = useState('')
  const [created, setCreated] = useState<CreatedWebhook>()
  const saving = useSave(async () => {
    const user_id = userId.trim()
    setCreated(await api.webhooks.create({ ...webhookValues(draft), ...(user_id && { user_id }) }))
    await refreshWebhooks()
  }, WEBHOOK_FIELDS)
  return (
    <Page title="Add a webhook">
      <form
        noValidate
        className="flex max-w-[46rem] flex-col gap-4"
        onSubmit={event => {
          event.preventDefault()
          void saving.save(undefined)
        }}
      >
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <WebhookForm draft={draft} onChange={change} errorOf={saving.errorOf} />
        <Fold
          title="Person"
          summary={userId || 'Everybody of this tenant'}
          isOpen={saving.errorOf('user_id') !== undefined}
        >
          <Field
            label="User id"
            isOptional
            help="Only events that concern this person. It cannot be changed later."
            error={saving.errorOf('user_id')}
          >
            <Input value={userId} onChange={event => setUserId(event.target.value)} />
          </Field>
        </Fold>
        <div className="flex gap-2">
          <Button
            type="submit"
            kind="primary"
            isBusy={saving.isBusy}
            refusal={!mayWrite && 'You need webhooks:write: ask an owner'}
          >
            Add the webhook
          </Button>
          <LinkButton to="/webhooks" kind="quiet">
            Cancel
          </LinkButton>
        </div>
      </form>
      <SigningSecret webhook={created} onClose={() => void navigate({ to: `/webhooks/${created!.id}` })} />
    </Page>
  )
}
