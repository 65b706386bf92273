/** Accepting within the caller's daily limit. Only newly accepted intents count towards it. */
import { type Allowance, type Limiter, limitedCaller, overLimit } from '../../oversight/limits/limiter.ts'
import type { Principal } from '../../platform/calls/principal.ts'
import type { Acceptor } from './accept.ts'

/** Lets `work` accept up to `wanted` intents; those over the limit are refused as rate_limited. */
export async function withinDailyLimit<T>(
  limiter: Limiter | undefined,
  principal: Principal,
  wanted: number,
  acceptor: Acceptor,
  work: (limited: Pick<Acceptor, 'accept'>) => Promise<T>,
  onAllowance: (allowance: Allowance) => void,
): Promise<T> {
  const caller = limitedCaller(principal)
  const allowance = await limiter?.takeNotifications(caller, wanted)
  if (limiter === undefined || allowance === undefined) return work(acceptor)
  let left = allowance.granted
  let accepted = 0
  const accept: Acceptor['accept'] = async intent => {
    if (left === 0) throw overLimit(allowance, 'notifications per day')
    left--
    const answer = await acceptor.accept(intent)
    if (!answer.duplicate) accepted++
    return answer
  }
  try {
    return await work({ accept })
  } finally {
    // A repeat or a refused intent notifies nobody.
    const unused = allowance.granted - accepted
    limiter.returnNotifications(caller, unused)
    onAllowance({ ...allowance, remaining: allowance.remaining + unused })
  }
}
