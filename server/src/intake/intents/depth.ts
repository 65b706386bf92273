/** How deeply a payload may be nested; is_too_deep() in SQL has the rule, since carillon.notify() has to follow it too. */
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { CheckedIntent } from './intent.ts'

/** For an intent that is not accepted at once; accept_intents() asks by itself. */
export async function refuseDeepPayload(db: Executor, { payload_json }: CheckedIntent): Promise<void> {
  const { rows } = await db.query<{ is_too_deep: boolean }>('select is_too_deep($1)', [payload_json])
  if (!rows[0]!.is_too_deep) return
  const message = 'The payload is nested more than 100 levels deep.'
  throw new Refusal('invalid_payload', `payload: ${message}`, [{ field: 'payload', message }])
}
