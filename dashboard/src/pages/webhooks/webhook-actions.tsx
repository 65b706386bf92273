/** What can be done with a webhook, and the question before each. */
import type { CreatedWebhook, Webhook, WebhookChanges } from '@carillon/contract'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Send } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { attempt } from '../../ui/attempt.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { toast } from '../../ui/toasts.tsx'
import { RecoverDialog } from './recover-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { TestDialog } from './test-dialog.tsx'
import { changeWebhook, refreshWebhooks } from './webhook-changes.ts'

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, url, is_active, is_paused, waiting } = webhook
  const mayWrite = useMay('webhooks:write')
  const mayResend = useMay('webhook_deliveries:write')
  const navigate = useNavigate()
  const [asks, setAsks] = useState<'test' | 'recover' | 'rotate' | 'delete'>()
  const [rotated, setRotated] = useState<CreatedWebhook>()
  const close = () => setAsks(undefined)
  const refusal = !mayWrite && 'You need webhooks:write: ask an owner'
  const resendRefusal = !mayResend && 'You need webhook_deliveries:write: ask an owner'
  const set = (...change: [changes: WebhookChanges, words: string, undo?: WebhookChanges]) =>
    attempt(() => changeWebhook(webhook, ...change))
  const enable = () => set({ is_active: true }, 'It gets events again.')
  return (
    <>
      {!is_active && (
        <Button kind="primary" refusal={refusal} onClick={enable}>
          Enable
        </Button>
      )}
      <Button refusal={resendRefusal} onClick={() => setAsks('recover')}>
        Send failed ones again
      </Button>
      <Button refusal={resendRefusal} onClick={() => setAsks('test')}>
        <Send size={14} aria-hidden="true" />
        Send a test
      </Button>
      <Menu
        trigger={
          <IconButton label="More" kind="secondary" disabled={!mayWrite}>
            <Ellipsis size={16} />
          </IconButton>
        }
        items={[
          {
            label: is_paused ? 'Continue' : 'Pause',
            onSelect: () =>
              set(
                { is_paused: !is_paused },
                is_paused ? 'Events are sent again.' : 'Paused: events wait until it continues.',
                { is_paused },
              ),
          },
          is_active
            ? {
                label: 'Switch off',
                onSelect: () =>
                  set({ is_active: false }, 'It gets no events any more.', {
                    is_active: true,
                  }),
              }
            : { label: 'Enable', onSelect: enable },
          { label: 'Rotate the signing secret', onSelect: () => setAsks('rotate') },
          false,
          { label: 'Delete', isDangerous: true, onSelect: () => setAsks('delete') },
        ]}
      />
      <TestDialog webhook={webhook} isOpen={asks === 'test'} onClose={close} />
      <RecoverDialog webhook={webhook} isOpen={asks === 'recover'} onClose={close} />
      <RotateDialog webhook={webhook} isOpen={asks === 'rotate'} onClose={close} onRotated={setRotated} />
      <SigningSecret webhook={rotated} onClose={() => setRotated(undefined)} />
      <Confirm
        title={`Delete the webhook ${webhook.description || url}?`}
        action="Delete"
        isOpen={asks === 'delete'}
        onClose={close}
        onConfirm={async () => {
          await api.webhooks.delete(id)
          toast('The webhook was deleted.')
          await navigate({ to: '/webhooks' })
          await refreshWebhooks()
        }}
      >
        {url} is told nothing any more
        {waiting > 0 && `, and the ${waiting.toLocaleString('en')} events that wait for it are given up`}. Its
        deliveries and signing secret are gone. To stop it for a while only, pause it.
      </Confirm>
    </>
  )
}
