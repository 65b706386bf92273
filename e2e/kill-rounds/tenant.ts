/** The tenant of a round: people to tell, and retries that are quick and do not give up. */
import type { Client } from '@carillon/sdk'
import { ask, createUsers } from './database.ts'

export async function prepareTenant(client: Client, databaseUrl: string, count: number): Promise<string[]> {
  const attempts = { email: 100, in_app: 100, sms: 100, webhook: 100 }
  await client.tenant.update({ retry_base_ms: 200, retry_cap_ms: 1_000, max_attempts: attempts })
  // With SQL, since one request per user would take longer than the kills.
  const created = await ask<{ id: string }>(databaseUrl, createUsers(count))
  return created.map(user => user.id)
}
