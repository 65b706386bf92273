/** What a method of the client puts on the wire: [name, call, "METHOD url", body]. */
import type { Client } from '../../src/client.ts'

export type Call = [name: string, call: (client: Client) => Promise<unknown>, wire: string, body?: unknown]

/** The id of anything, where any will do. */
export const id = '0198c0de-0000-7000-8000-000000000001'

export const intent = {
  notification_type: 'welcome',
  audience: { kind: 'users' as const, user_ids: ['ada'] },
  payload: { title: 'Hello' },
}
