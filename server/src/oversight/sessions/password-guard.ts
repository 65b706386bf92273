/**
 * Slows down whoever tries passwords: of one account from one address, and of any from one address. Never of an account from
 * everywhere: then anybody could keep its owner out. People who signed in from an address before are not kept out by what
 * others do from there, such as behind a proxy that the server does not know.
 */
import { createHash } from 'node:crypto'
import { Refusal } from '../../platform/calls/refusal.ts'
import { createWrongTries, dropOldest, networkOf } from '../limits/wrong-tries.ts'

export interface PasswordGuard {
  /** Whether the password was right; refuses to look if there were too many wrong ones. */
  judge(email: string, address: string, isRight: () => Promise<boolean>): Promise<boolean>
}

const WINDOW_MS = 15 * 60_000
const MOST_FOR_ACCOUNT = 10
const MOST_FROM_ADDRESS = 50

export function createPasswordGuard(now: () => number = () => performance.now()): PasswordGuard {
  const forAccount = createWrongTries({ most: MOST_FOR_ACCOUNT, windowMs: WINDOW_MS, now })
  const fromAddress = createWrongTries({ most: MOST_FROM_ADDRESS, windowMs: WINDOW_MS, now })
  const worked = new Set<string>()

  return {
    async judge(email, address, isRight) {
      const from = networkOf(address)
      const name = createHash('sha256')
        .update(JSON.stringify([email, from]))
        .digest('base64')
      const wait =
        forAccount.secondsToWait(name) ?? (worked.has(name) ? undefined : fromAddress.secondsToWait(from))
      if (wait !== undefined) throw tooMany(wait)
      // Counted before the answer is known: whoever sends a thousand at once must not have them all looked at.
      forAccount.count(name)
      fromAddress.count(from)
      const giveBack = () => {
        forAccount.giveBack(name)
        fromAddress.giveBack(from)
      }
      const isSame = await isRight().catch(error => {
        giveBack()
        throw error
      })
      if (!isSame) return false
      giveBack()
      dropOldest(worked).add(name)
      return true
    },
  }
}

function tooMany(seconds: number): Refusal {
  const minutes = Math.ceil(seconds / 60)
  const detail = `Too many wrong passwords came from your address; try again in ${minutes} minutes.`
  return new Refusal('rate_limited', detail, undefined, seconds)
}
