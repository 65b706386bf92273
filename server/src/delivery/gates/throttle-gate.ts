/** The gate for types with a throttle: a person gets only so many in a time. */
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createThrottle } from '../throttles/throttles.ts'
import type { Answer, Gate, Question } from './gate.ts'
import { groupKey } from './group-key.ts'
import { postponeOnError, skip } from './obstacle.ts'

export function createThrottleGate(db: Pool | Client): Gate {
  const throttle = createThrottle(db)

  async function ask({ route, simulatedAt }: Question): Promise<Answer> {
    const { key, max, per } = route.throttle!
    if (await throttle.admits(route, route.throttle!, groupKey(route, key), simulatedAt)) return undefined
    const alike = key === '' ? '' : ` with the same "${key}"`
    const text = `The person got ${max} of "${route.notification_type}"${alike} within ${per} seconds.`
    return skip('throttled', text)
  }

  return question =>
    // A route that has joined a digest passed this gate before.
    question.route.throttle === null || question.route.digest_id !== null
      ? undefined
      : ask(question).catch(postponeOnError)
}
