import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()

beforeEach(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
})

describe('deleting a user while an intent for them is accepted', () => {
  const intent = (ord: number) => ({
    ord,
    tenant_id: carillon.tenantId,
    notification_id: randomUUID(),
    notification_type: 't',
    producer: 'p',
    idempotency_key: randomUUID(),
    source: 'http',
    payload_json: '{}',
    audience: { kind: 'users', user_ids: ['ada', 'bob'] },
    channels: ['email'],
  })

  it('waits for the routes and deletes them too', { tags: 'S002-34' }, async () => {
    const accepting = await carillon.pool.connect()
    await accepting.query('begin')
    const { notification_id, ...rest } = intent(0)
    await accepting.query('select accept_intents($1)', [JSON.stringify([{ ...rest, notification_id }])])
    const deleting = carillon.pool.query("delete from users where id = 'ada'")
    await waitFor(async () => (await waitingForLocks()) === 1, {
      what: 'one transaction to wait for the other',
    })
    await accepting.query('commit')
    accepting.release()
    await deleting
    const routes = await carillon.routesOf(notification_id)
    expect(routes.map(route => route.recipient_ref)).toEqual(['user:bob'])
  })

  it('leaves no route for the user if it came first', { tags: 'S002-34' }, async () => {
    const deleting = await carillon.pool.connect()
    await deleting.query('begin')
    await deleting.query("delete from users where id = 'ada'")
    const wanted = intent(0)
    const accepting = carillon.pool.query('select outcome from accept_intents($1)', [
      JSON.stringify([wanted]),
    ])
    await waitFor(async () => (await waitingForLocks()) === 1, {
      what: 'one transaction to wait for the other',
    })
    await deleting.query('commit')
    deleting.release()
    expect((await accepting).rows).toEqual([{ outcome: 'accepted' }])
    const routes = await carillon.routesOf(wanted.notification_id)
    expect(routes.map(route => route.recipient_ref)).toEqual(['user:bob'])
  })

  async function waitingForLocks(): Promise<number> {
    const { rows } = await carillon.pool.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]!.waiting
  }
})
