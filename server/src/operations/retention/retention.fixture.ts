/** A Carillon whose rows are made old and swept. */
import { beforeAll, beforeEach } from 'vitest'
import { type TestCarillon, useCarillon } from '../../../test/carillon.ts'
import { type Swept, sweepRetention } from './retention.ts'

interface Aging {
  carillon: TestCarillon
  sweep(): Promise<Swept>
  /** Makes rows a second older than so many days. */
  age(table: string, column: string, days: number, where?: string): Promise<unknown>
  /** A record that was sent; returns its id. */
  sent(): Promise<string>
  /** A record that became a dead letter. */
  dead(): Promise<string>
}

export function useAging(): Aging {
  const carillon = useCarillon()

  // As long as they stay live: nothing of it is archived.
  beforeAll(() => carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 90 } }))

  beforeEach(async () => {
    await carillon.pool.query('delete from records')
    await carillon.pool.query('delete from malformed_intents')
  })

  return {
    carillon,
    sweep: () => sweepRetention(carillon.pool),
    age: (table, column, days, where = 'true') =>
      carillon.pool.query(
        `update ${table} set ${column} = now() - make_interval(days => $1, secs => 1) where ${where}`,
        [days],
      ),
    async sent() {
      const id = await carillon.send()
      await carillon.pool.query(
        "update routes set status = 'sent', sent_at = now(), next_attempt_at = null where notification_id = $1",
        [id],
      )
      return id
    },
    async dead() {
      const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
      const id = await carillon.send()
      await carillon.settled(id, 'dead')
      await worker.stop()
      return id
    },
  }
}

/** Of a record, in the where clause of age(). */
export const of = (id: string) => `notification_id = '${id}'`
