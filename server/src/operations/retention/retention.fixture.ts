/** A Carillon whose rows are made old and swept. */
import { beforeAll, beforeEach } from 'vitest'
import { type TestCarillon, useCarillon } from '../../../test/carillon.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type Swept, sweepRetention } from './retention.ts'

/** What is made old, and the time that says how old it is. */
const TIMES = {
  records: ['records', 'accepted_at'],
  malformedIntents: ['malformed_intents', 'recorded_at'],
  letters: ['dead_letters', 'created_at'],
  warningsOfLetters: ['dead_letters', 'expiry_warned_at'],
  digests: ['digests', 'created_at'],
} as const

interface Aging {
  carillon: TestCarillon
  sweep(): Promise<Swept>
  /** Makes everything of a kind, or what belongs to the record, a second older than so many days. */
  age(kind: keyof typeof TIMES, days: number, notificationId?: string): Promise<unknown>
  /** A record that was sent; returns its id. */
  sent(): Promise<string>
  /** A record that became a dead letter. */
  dead(): Promise<string>
}

export function useAging(): Aging {
  const carillon = useCarillon()

  // Records stay live for as long as they are kept, so nothing is archived.
  beforeAll(() => carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 90 } }))

  beforeEach(async () => {
    await carillon.pool.query('delete from records')
    await carillon.pool.query('delete from malformed_intents')
  })

  async function finished(outcome: Outcome, status: string): Promise<string> {
    const worker = carillon.deliver(() => outcome)
    const id = await carillon.send()
    await carillon.settled(id, status)
    await worker.stop()
    return id
  }

  return {
    carillon,
    sweep: () => sweepRetention(carillon.pool),
    age(kind, days, notificationId) {
      const [table, column] = TIMES[kind]
      const aged = `update ${table} set ${column} = now() - make_interval(days => $1, secs => 1)`
      return notificationId === undefined
        ? carillon.pool.query(aged, [days])
        : carillon.pool.query(`${aged} where notification_id = $2`, [days, notificationId])
    },
    sent: () => finished({ kind: 'sent' }, 'sent'),
    dead: () => finished({ kind: 'permanent', message: 'no' }, 'dead'),
  }
}
