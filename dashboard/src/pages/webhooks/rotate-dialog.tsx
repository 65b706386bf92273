import type { CreatedWebhook, Webhook } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { refreshWebhooks } from './webhook-changes.ts'

const GRACES: [seconds: number, words: string][] = [
  [86_400, '24 hours'],
  [604_800, '7 days'],
  [3_600, '1 hour'],
  [0, 'Not at all: the old secret leaked'],
]

interface RotateDialogProps {
  webhook: Webhook
  isOpen: boolean
  onClose(): void
  onRotated(webhook: CreatedWebhook): void
}

export function RotateDialog({ webhook, isOpen, onClose, onRotated }: RotateDialogProps) {
  const [seconds, setSeconds] = useState(86_400)
  return (
    <Confirm
      title="Rotate the signing secret?"
      action="Rotate"
      isDangerous={seconds === 0}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        onRotated(await api.webhooks.rotate(webhook.id, { grace_seconds: seconds }))
        await refreshWebhooks()
      }}
    >
      <div className="flex flex-col gap-4">
        <p>
          A new secret signs from now on. For the time below, requests carry a signature for each of the two,
          so that your receiver accepts them with either one until you have given it the new secret.
        </p>
        <Field label="How long the old secret signs too">
          <Select value={seconds} onChange={event => setSeconds(Number(event.target.value))}>
            {GRACES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </Confirm>
  )
}
