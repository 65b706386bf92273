import type { WebhookDelivery } from '@carillon/contract'
import { api } from '../../app/api.ts'
import { attempt } from '../../ui/attempt.ts'
import { toast } from '../../ui/toasts.tsx'
import { refreshWebhooks } from './webhook-changes.ts'

export const redeliver = ({ id, webhook_id }: Pick<WebhookDelivery, 'id' | 'webhook_id'>): Promise<void> =>
  attempt(async () => {
    await api.webhooks.redeliver(webhook_id, id)
    await refreshWebhooks()
    toast('It is sent again, with the same body and webhook-id.')
  })
