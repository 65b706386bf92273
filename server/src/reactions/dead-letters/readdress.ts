/** Replaying a letter to another address: the message was right, but where it went was not. */
import type { DeadLetter } from '@carillon/contract'
import { normalAddress } from '../../people/addresses/addresses.ts'
import { findSuppression } from '../../people/suppressions/suppressions.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client } from '../../platform/database/pool.ts'
import { isAboutRoute, type LetterRoutes, replayDeadLetter, toDeadLetter } from './dead-letters.ts'
import { type DeadLetterRow, selectDeadLetter, updateReplayedTo } from './queries.ts'

export async function replayToAddress(
  tx: Client,
  routes: LetterRoutes,
  tenantId: string,
  { id, address, by }: { id: string; address: string; by: string | null },
): Promise<DeadLetter> {
  const letter = await selectDeadLetter(tx, tenantId, id)
  if (letter === undefined) throw notFound(`dead letter ${id}`)
  if (!hasAddress(letter)) throw refuse('no_address', `${nameOf(letter)} is not sent to an address.`)
  const to = await normalAddress(tx, letter.channel!, address, 'address')
  const suppression = await findSuppression(tx, tenantId, letter.channel!, to)
  if (suppression !== undefined)
    throw refuse('address_suppressed', `${to} is suppressed (${suppression}), so it would get nothing.`)
  await replayDeadLetter(tx, routes, tenantId, id, by)
  const from = await routes.readdress(tx, tenantId, letter, to)
  return toDeadLetter(await updateReplayedTo(tx, tenantId, id, { from, to }))
}

/** Messages in the app go to a person, and pushes to that person's devices. */
function hasAddress(
  letter: DeadLetterRow,
): letter is DeadLetterRow & { notification_id: string; route_id: string } {
  return isAboutRoute(letter) && letter.channel !== 'in_app' && letter.channel !== 'push'
}

const nameOf = ({ source, channel }: DeadLetterRow) =>
  channel === null ? `Work of the outbox (${source})` : `A message on ${channel}`

const refuse = (code: 'no_address' | 'address_suppressed', message: string) =>
  new Refusal(code, message, [{ field: 'address', message }])
