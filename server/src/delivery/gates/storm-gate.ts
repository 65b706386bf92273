/** The storm dampener: people get few mails about a thread at a time, and not too many about all of them together. */
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createMailReservations, type Refused } from '../email-log/reserve.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Answer, Gate, Question } from './gate.ts'
import { postponeOnError, skip } from './obstacle.ts'

const TEXTS: Record<Refused, string> = {
  thread: 'The person got a mail about this thread a short time ago.',
  hour: 'The person got as many mails about threads and events within an hour as the tenant allows.',
}

export function createStormGate(db: Pool | Client): Gate {
  const reserve = createMailReservations(db)

  async function ask({ route, simulatedAt }: Question): Promise<Answer> {
    const refused = await reserve({
      route,
      thread: route.about!.thread,
      isExempt: route.critical || route.required,
      at: simulatedAt,
    })
    return refused === null ? { kind: 'pass', isReserved: true } : skip('storm', TEXTS[refused])
  }

  return question => (isLogged(question.route) ? ask(question).catch(postponeOnError) : undefined)
}

/** What nobody but its recipient takes part in, such as a new password, cannot become a storm and is never held back. */
function isLogged({ channel, user_id, about }: ClaimedRoute): boolean {
  if (channel !== 'email' || user_id === null || about === null) return false
  return about.thread !== null || about.event_id !== null
}
