/** While everything happens at once, no invariant is ever seen broken, though no time at all is given to rows on their way. */
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { emit, orderAll } from '../../../test/events.ts'
import { openTransaction } from '../../../test/open-transaction.ts'
import { addPeople } from '../../../test/people.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { expandChunk } from '../../planning/expansions/expander.ts'
import { OUTBOX_KINDS } from '../../roles/outbox-kinds.ts'
import { rollUpMetrics } from '../metrics/rollup.ts'
import { sweepRetention } from '../retention/retention.ts'
import { createWalks } from './invariants.ts'
import { reconcile } from './reconciler.ts'

const carillon = useCarillon()
const INTENTS = 150

it('no invariant looks broken beside load, dying workers, digests, retention and a long transaction', async () => {
  const { pool } = carillon
  for (const id of ['ada', 'bob', 'cleo']) await carillon.putUser(id, { email: `${id}@example.com` })
  await carillon.putType('comment', { channels: ['email'], digest: { window: 3600 } })
  await addPeople(
    carillon,
    Array.from({ length: 300 }, (_, n) => `u${n}`),
  )
  // Its rows are an hour old when they appear.
  const application = await openTransaction(pool)
  await application.client.query(`select notify($1::jsonb)`, [
    JSON.stringify({
      notification_type: 'late',
      audience: { kind: 'users', user_ids: ['ada'] },
      channels: ['email'],
      payload: { title: 'late' },
    }),
  ])
  await emit(application.client, { kind: 'late' })

  const outcomes = ['sent', 'retry', 'permanent', 'sent', 'sent'] as const
  let calls = 0
  const send = async () => {
    const kind = outcomes[calls++ % outcomes.length]!
    // Some workers never come back, and leave their leases behind.
    if (calls % 40 === 0) return new Promise<never>(() => {})
    return kind === 'sent' ? { kind } : { kind, message: 'no' }
  }
  const workers = [1, 2].map(() => carillon.deliver(send, { leaseSeconds: 1, shutdownMs: 100 }))

  let isDone = false
  const walks = createWalks(OUTBOX_KINDS).map(walk => ({ ...walk, portion: 50 }))
  let rounds = 0
  const seen = new Set<string>()
  const reconciler = (async () => {
    while (!isDone) {
      await reconcile({ pool, walks, intervalSeconds: 0, graceFactor: 0 })
      for (const { invariant } of (await pool.query('select invariant from invariant_violations')).rows)
        seen.add(invariant)
      rounds++
    }
  })()

  await carillon.send({ audience: { kind: 'tenant' }, channels: ['in_app'], notification_type: 'news' })
  const expander = (async () => {
    while ((await expandChunk({ pool, chunkSize: 50, onExpanded: () => {} })) !== undefined);
  })()
  await Promise.all(
    Array.from({ length: INTENTS }, (_, n) =>
      carillon.send(
        n % 3 === 0
          ? { notification_type: 'comment', audience: { kind: 'users', user_ids: ['ada', 'bob'] } }
          : n % 5 === 0
            ? { send_at: '2040-01-01T00:00:00Z' }
            : {},
      ),
    ),
  )
  await expander
  for (let n = 0; n < 20; n++) await emit(pool)
  await orderAll(pool)
  await application.commit()
  const records = await carillon.readAll('/v1/records?notification_type=order_shipped')
  for (const { id } of records.slice(0, 20)) await carillon.request('POST', `/v1/records/${id}/cancel`)
  await rollUpMetrics(pool)
  await pool.query(
    `update records set accepted_at = accepted_at - interval '100 days' where idempotency_key like '%7'`,
  )
  await sweepRetention(pool)
  await waitFor(async () => calls > INTENTS && rounds > 20, { what: 'the load and the rounds beside it' })
  isDone = true
  await reconciler
  for (const worker of workers) await worker.stop()
  expect([...seen]).toEqual([])
})
