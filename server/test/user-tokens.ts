/** What a product's backend does for a person's browser. */
import type { TestCarillon } from './carillon.ts'

export async function tokenFor(
  carillon: TestCarillon,
  userId: string,
  { key, ...body }: { ttl_seconds?: number; key?: string } = {},
): Promise<string> {
  const path = `/v1/users/${encodeURIComponent(userId)}/token`
  const answer = await carillon.request('POST', path, { body, ...(key && { key }) })
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.token
}
