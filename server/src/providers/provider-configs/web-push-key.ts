/** The public key that browsers subscribe with, from the provider that will send to them. */
import type { Executor } from '../../platform/database/pool.ts'
import { webPush } from '../services/push/web-push.ts'
import { selectActiveProviderConfigs } from './queries.ts'

/** null if the tenant sends no web push. */
export async function webPushKey(db: Executor, tenantId: string): Promise<string | null> {
  const rows = await selectActiveProviderConfigs(db, tenantId)
  const provider = rows.find(({ kind }) => kind === webPush.name)
  return (provider?.config.public_key as string | undefined) ?? null
}
