/** Waiting for what a fault should and should not stop. */
import { waitFor } from '../../server/test/wait-for.ts'
import { ask } from '../kill-rounds/database.ts'
import type { Stage } from './stage.ts'

export const DEADLINE_MS = 90_000

/** Resolves when so many more intents are acknowledged. */
export async function untilAcknowledged({ producer }: Stage, more: number): Promise<void> {
  const acknowledged = () => producer.sendings.filter(({ ids }) => ids.size > 0).length
  const wanted = acknowledged() + more
  await waitFor(async () => acknowledged() >= wanted, {
    what: `${more} more intents to be acknowledged`,
    deadlineMs: DEADLINE_MS,
  })
}

/** Resolves when intents are acknowledged again: in earnest a second of them, else only enough to show it. */
export function untilItWorks(stage: Stage): Promise<void> {
  return untilAcknowledged(stage, stage.isLong ? 60 : 20)
}

/** Resolves when so many more requests got no usable answer. */
export async function untilUnanswered({ producer }: Stage, more: number): Promise<void> {
  const unanswered = () => producer.sendings.reduce((sum, sending) => sum + sending.unanswered, 0)
  const wanted = unanswered() + more
  await waitFor(async () => unanswered() >= wanted, {
    what: `${more} more requests without an answer`,
    deadlineMs: DEADLINE_MS,
  })
}

/** Resolves when so many intents wait for their answer. */
export async function untilWaiting({ producer }: Stage, count: number): Promise<void> {
  const waiting = () =>
    producer.sendings.filter(({ ids, refusal }) => ids.size === 0 && refusal === undefined).length
  await waitFor(async () => waiting() >= count, {
    what: `${count} intents to wait for their answer`,
    deadlineMs: DEADLINE_MS,
  })
}

/** Resolves when so many more routes are sent. */
export async function untilSent({ resultsUrl }: Stage, more: number): Promise<void> {
  const sent = async () => (await ask(resultsUrl(), `select from routes where status = 'sent'`)).length
  const wanted = (await sent()) + more
  await waitFor(async () => (await sent()) >= wanted, {
    what: `${more} more routes to be sent`,
    deadlineMs: DEADLINE_MS,
    everyMs: 50,
  })
}
