import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createWake } from '../../platform/queue/wake.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()

it('a worker whose database was away longer than its leases renews them and sends nothing twice', async () => {
  const database = breakable(() => carillon.pool)
  const wake = createWake()
  const answers: ((outcome: Outcome) => void)[] = []
  const worker = carillon.deliver(() => new Promise(resolve => answers.push(resolve)), {
    pool: database.pool,
    leaseSeconds: 1,
    wake,
  })
  const id = await carillon.send()
  await waitFor(async () => answers.length === 1, { what: 'the provider to be called' })

  database.isAway = true
  await waitFor(async () => !(await isLeased()), { what: 'the lease to run out' })
  database.isAway = false
  wake.call() // So that it looks for work before it next extends its leases.
  await waitFor(isLeased, { what: 'the lease to be renewed' })

  expect(answers).toHaveLength(1)
  answers[0]!({ kind: 'sent' })
  const [route] = await carillon.settled(id, 'sent')
  expect(route).toMatchObject({ attempt_count: 1 })
  await worker.stop()

  async function isLeased(): Promise<boolean> {
    const live = 'select from routes where notification_id = $1 and lease_until > now()'
    return (await carillon.pool.query(live, [id])).rowCount === 1
  }
})

/** A pool whose server can be away. */
function breakable(pool: () => Pool): { pool: Pool; isAway: boolean } {
  const database = {
    isAway: false,
    pool: {
      query: (...statement: Parameters<Pool['query']>) =>
        database.isAway ? Promise.reject(new Error('Connection terminated')) : pool().query(...statement),
    } as unknown as Pool,
  }
  return database
}
