/** A sample event right now, and what the receiver said. */
import type { Webhook, WebhookDeliveryDetail, WebhookEventType } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { useSave } from '../../ui/use-save.ts'
import { DeliveryView } from './delivery-sheet.tsx'
import { refreshWebhooks } from './webhook-changes.ts'
import { EVENT_NAMES } from './webhook-events.ts'

interface TestDialogProps {
  webhook: Webhook
  isOpen: boolean
  onClose(): void
}

export function TestDialog({ webhook, isOpen, onClose }: TestDialogProps) {
  const [event, setEvent] = useState<WebhookEventType>(webhook.events[0] ?? 'notification.sent')
  const [answer, setAnswer] = useState<WebhookDeliveryDetail>()
  const saving = useSave(async () => {
    setAnswer(undefined)
    setAnswer(await api.webhooks.test(webhook.id, { event_type: event }))
    await refreshWebhooks()
  }, ['event_type'])
  const close = () => {
    setAnswer(undefined)
    saving.clear()
    onClose()
  }
  return (
    <Dialog title="Send a test" isWide={answer !== undefined} isOpen={isOpen} onClose={close}>
      <div className="flex flex-col gap-4">
        <p className="break-words text-muted">
          A sample event is posted to {webhook.url} now, signed like any other. It is not repeated if it
          fails.
        </p>
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field label="Event" error={saving.errorOf('event_type')}>
          <div className="flex gap-2">
            <Select value={event} onChange={({ target }) => setEvent(target.value as WebhookEventType)}>
              {EVENT_NAMES.map(name => (
                <option key={name}>{name}</option>
              ))}
            </Select>
            <Button kind="primary" isBusy={saving.isBusy} onClick={() => void saving.save(undefined)}>
              {saving.isBusy ? 'Sending' : 'Send'}
            </Button>
          </div>
        </Field>
        {answer && (
          <div className="border-t border-border pt-4">
            <DeliveryView delivery={answer} />
          </div>
        )}
      </div>
    </Dialog>
  )
}
