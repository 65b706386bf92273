/** Pressing a button of a notification: the answer is stored and sent as an event, in one transaction and once. */
import type { ErrorCode, InboxAction, InboxItem } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { noItem } from './inbox.ts'
import { type InboxRow, toItem } from './item.ts'
import type { InboxOwner } from './owner.ts'
import { selectItems } from './queries.ts'
import { changeState } from './states.ts'

/** Whoever presses the same button again gets the same answer; another button comes too late. */
export function answer(pool: Pool, owner: InboxOwner, id: string, actionId: string): Promise<InboxItem> {
  return transaction(pool, async tx => {
    const row = await lockItem(tx, owner, id)
    if (row === undefined) throw noItem()
    const action = row.actions?.find(each => each.id === actionId)
    if (action === undefined) throw noAction(row, actionId)
    if (row.answer !== null && row.answer.action !== actionId) throw tooLate(row.answer.action)
    if (row.answer !== null) return toItem(row)
    await storeAnswer(tx, owner, row, actionId)
    await changeState(tx, owner, row, 'read')
    if (action.event_kind) await emitAnswer(tx, owner, row, action)
    const [answered] = await selectItems(tx, owner, [id])
    return toItem(answered!)
  })
}

/** Of what is everybody's, the person's receipt is locked. Then read again: it may have been answered meanwhile. */
async function lockItem(tx: Client, owner: InboxOwner, id: string): Promise<InboxRow | undefined> {
  const [row] = await selectItems(tx, owner, [id])
  if (row === undefined) return undefined
  if (row.is_for_everybody) {
    await tx.query(
      `insert into notification_receipts as r (tenant_id, user_id, notification_id) values ($1, $2, $3)
       on conflict (tenant_id, user_id, notification_id) do update set answer = r.answer`,
      [owner.tenantId, owner.userId, id],
    )
  } else {
    await tx.query('select from notifications where tenant_id = $1 and id = $2 for no key update', [
      owner.tenantId,
      id,
    ])
  }
  return (await selectItems(tx, owner, [id]))[0]
}

const ANSWER = "answer = jsonb_build_object('action', $4::text, 'answered_at', iso(now()))"

async function storeAnswer(tx: Client, owner: InboxOwner, row: InboxRow, actionId: string): Promise<void> {
  await tx.query(
    row.is_for_everybody
      ? `update notification_receipts set ${ANSWER} where tenant_id = $1 and user_id = $2 and notification_id = $3`
      : `update notifications set ${ANSWER} where tenant_id = $1 and user_id = $2 and id = $3`,
    [owner.tenantId, owner.userId, row.id, actionId],
  )
}

/** The count of events is part of the key: when the next event asks again, it is answered anew. */
async function emitAnswer(tx: Client, owner: InboxOwner, row: InboxRow, action: InboxAction): Promise<void> {
  const event = {
    ord: 0,
    tenant_id: owner.tenantId,
    kind: action.event_kind,
    producer: 'inbox',
    actor_id: owner.userId,
    topic: row.topic,
    thread: row.thread_kind === null ? null : { kind: row.thread_kind, id: row.thread_id },
    source_kind: 'notification',
    source_id: row.id,
    payload_json: JSON.stringify({
      action: action.id,
      label: action.label,
      type: row.type,
      title: row.title,
    }),
    idempotency_key: `${row.id}:${row.event_count}:${owner.userId}`,
  }
  const { rows } = await tx.query<{ outcome: string; failure_code: ErrorCode; failure_message: string }>(
    'select outcome, failure_code, failure_message from append_events($1::jsonb)',
    [JSON.stringify([event])],
  )
  const { outcome, failure_code, failure_message } = rows[0]!
  if (outcome !== 'accepted' && outcome !== 'duplicate') throw new Refusal(failure_code, failure_message)
}

function noAction({ actions }: InboxRow, actionId: string): Refusal {
  const known = (actions ?? []).map(({ id }) => `"${id}"`).join(', ')
  const message = known === '' ? 'It has no buttons.' : `Expected one of ${known}.`
  return new Refusal('invalid_request', `action: there is no button "${actionId}". ${message}`, [
    { field: 'action', message },
  ])
}

const tooLate = (given: string) =>
  new Refusal('already_answered', `It was answered with "${given}" before.`, [
    { field: 'action', message: `Already answered with "${given}".` },
  ])
