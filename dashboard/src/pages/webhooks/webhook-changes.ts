import type { Webhook, WebhookChanges } from '@carillon/contract'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { attempt } from '../../ui/attempt.ts'
import { toast } from '../../ui/toasts.tsx'

export const refreshWebhooks = () => queryClient.invalidateQueries({ queryKey: ['webhooks'] })

/** Says what was done, and offers to take it back. */
export async function changeWebhook(
  { id }: Webhook,
  changes: WebhookChanges,
  words: string,
  undo?: WebhookChanges,
): Promise<void> {
  await api.webhooks.update(id, changes)
  await refreshWebhooks()
  toast(
    words,
    undo && { undo: () => void attempt(() => api.webhooks.update(id, undo).then(refreshWebhooks)) },
  )
}
