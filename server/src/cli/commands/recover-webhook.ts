/** Recovers an endpoint and shows the progress, until everything that failed has been sent again. */
import type { RecoverWebhook, WebhookRecovery } from '@carillon/contract'
import type { Invocation } from '../invocation.ts'
import { startProgress } from '../output/progress.ts'

const POLL_MS = 200

export async function recoverWebhook(
  { connect, print, terminal }: Invocation,
  id: string,
  request: RecoverWebhook,
): Promise<void> {
  const client = connect()
  let recovery = await client.webhooks.recover(id, request)
  const progress = startProgress('Recovering', terminal, print)
  try {
    while (!isOver(recovery)) {
      progress.update(recovery.redelivered, recovery.matched)
      await terminal.sleep(POLL_MS)
      recovery = await client.webhooks.recovery(id, recovery.id)
    }
  } finally {
    progress.stop()
    const { redelivered, matched, delivered, failed } = recovery
    const { green } = print.colors
    print.show(
      recovery,
      () =>
        `${green('✓')} ${redelivered} of ${matched} sent again: ${delivered} arrived, ${failed} failed so far`,
    )
  }
}

/** Everything is in the queue again; from then on the deliveries show what is retried. */
function isOver(recovery: WebhookRecovery): boolean {
  return recovery.finished_at !== null
}
