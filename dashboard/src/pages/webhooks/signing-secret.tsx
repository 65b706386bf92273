import type { CreatedWebhook } from '@carillon/contract'
import { Command } from '../../ui/copy.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Time } from '../../ui/time.tsx'

interface SigningSecretProps {
  webhook: CreatedWebhook | undefined
  onClose(): void
}

export function SigningSecret({ webhook, onClose }: SigningSecretProps) {
  return (
    <ShownOnce title="The signing secret" secret={webhook?.secret} onClose={onClose}>
      <p>
        Your receiver verifies with it that a request comes from here and was not changed. Pass it the raw
        body, not parsed JSON:
      </p>
      <Command
        text={
          "import { verifyWebhook } from '@carillon/sdk'\n\nconst event = await verifyWebhook(headers, body, secret)"
        }
      />
      {webhook?.secret_expires_at && (
        <p className="text-muted">
          The old secret signs too until <Time value={webhook.secret_expires_at} />.
        </p>
      )}
    </ShownOnce>
  )
}
