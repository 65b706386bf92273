import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const AT = '2026-03-01T10:00:00.123Z'
const addresses = ['a@x.io', 'b@x.io', 'c@x.io']

/** Nine records with three routes each and every third route dead, all of the very same millisecond. */
beforeAll(async () => {
  for (let n = 0; n < 9; n++) {
    await carillon.send({
      audience: { kind: 'addresses', channel: n % 3 === 0 ? 'sms' : 'email', addresses },
    })
    await carillon.request('POST', '/v1/intents/batch', {
      body: { intents: [{ source_entry_id: `entry-${n}`, producer: n % 2 === 0 ? 'even' : 'odd' }] },
    })
    await carillon.putUser(`user-${n}`)
    await carillon.request('PUT', '/v1/topics/t/watch', { body: { user_id: `user-${n}` } })
    await carillon.createKey({ name: `key-${n}` })
    await carillon.pool.query(
      `insert into admin_system_events (tenant_id, event_type, severity, description) values ($1, $2, 'low', '')`,
      [carillon.tenantId, `event-${n}`],
    )
  }
  await carillon.pool.query(
    `update routes set status = 'dead', dead_at = now(), next_attempt_at = null where resolved_address = 'b@x.io'`,
  )
  await carillon.pool.query(
    `insert into dead_letters (tenant_id, source_kind, notification_id, route_id, notification_type, channel, recipient_ref,
       final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message, created_at)
     select tenant_id, 'route', notification_id, route_id, 't', channel, recipient_ref, 1, 1, 'permanent_failure',
       'permanent', '', now() from routes where status = 'dead'`,
  )
  await carillon.pool.query(
    `insert into captured_messages (tenant_id, message_id, notification_id, route_id, channel, notification_type,
       recipient_ref, address, locale, subject, text)
     select tenant_id, notification_id || route_id, notification_id, route_id, channel, 't', '', '', 'en', '', '' from routes`,
  )
  for (const [table, column] of [
    ['records', 'accepted_at'],
    ['routes', 'created_at'],
    ['dead_letters', 'created_at'],
    ['malformed_intents', 'recorded_at'],
    ['api_keys', 'created_at'],
    ['captured_messages', 'captured_at'],
    ['admin_system_events', 'created_at'],
  ]) {
    await carillon.pool.query(`update ${table} set ${column} = $1`, [AT])
  }
})

const keyOf = (item: Record<string, unknown>) =>
  JSON.stringify([
    item.id ?? item.message_id ?? item.source_entry_id ?? item.notification_id ?? item.user_id,
    item.route_id,
  ])

const LISTS: [string, number][] = [
  ['/v1/records', 9],
  ['/v1/records?producer=api', 9],
  ['/v1/routes', 27],
  ['/v1/routes?status=dead', 9],
  ['/v1/routes?status=pending', 18],
  ['/v1/routes?channel=sms', 9],
  ['/v1/routes?status=dead&channel=email', 6],
  ['/v1/dead-letters', 9],
  ['/v1/dead-letters?state=all&channel=email', 6],
  ['/v1/malformed-intents', 9],
  ['/v1/malformed-intents?producer=even', 5],
  ['/v1/captured-messages', 27],
  ['/v1/captured-messages?channel=sms', 9],
  ['/v1/system-events', 9],
  ['/v1/api-keys', 10],
  ['/v1/users', 9],
  ['/v1/topics/t/watches', 9],
]

describe('keyset pages', () => {
  it.each(LISTS)(
    'S000-30 %s over equal times neither lose nor repeat one of %i rows',
    async (path, total) => {
      const whole = (await carillon.readAll(path)).map(keyOf)
      expect(new Set(whole).size).toBe(total)
      for (const limit of [1, 2, 4]) expect((await carillon.readAll(path, limit)).map(keyOf)).toEqual(whole)
    },
  )

  it.each([
    ['/v1/records', 'notification_id'],
    ['/v1/dead-letters', 'id'],
    ['/v1/malformed-intents', 'source_entry_id'],
    ['/v1/routes', 'notification_id'],
  ])('S000-30 %s breaks ties by %s, descending', async (path, tieBreaker) => {
    const keys = (await carillon.readAll(path)).map(item => item[tieBreaker])
    expect(keys).toEqual([...keys].sort().reverse())
  })

  it('S000-30 rows that arrive between two pages do not shift the next one', async () => {
    const first = (await carillon.request('GET', '/v1/records?limit=4')).body
    const newer = await carillon.send()
    const second = (await carillon.request('GET', `/v1/records?limit=100&cursor=${first.next_cursor}`)).body
    await carillon.pool.query('delete from records where notification_id = $1', [newer])
    const ids = [...first.data, ...second.data].map(record => record.notification_id)
    expect(ids).toHaveLength(9)
    expect(new Set(ids).size).toBe(9)
    expect(ids).not.toContain(newer)
  })

  it('a record’s own routes page by recipient and channel', async () => {
    const [{ notification_id }] = await carillon.readAll('/v1/records')
    const routes = await carillon.readAll(`/v1/records/${notification_id}/routes`, 1)
    expect(routes.map(route => route.resolved_address)).toEqual(addresses)
  })

  it.each(LISTS.filter(([path]) => !path.includes('?')))(
    'S002-8 %s gives 20 unless asked, at most 100',
    async path => {
      const { body } = await carillon.request('GET', path)
      expect(body.data.length).toBeLessThanOrEqual(20)
      if (path === '/v1/routes') expect(body.data).toHaveLength(20)
      expect((await carillon.request('GET', `${path}?limit=100`)).status).toBe(200)
      for (const limit of ['101', '0', '-1', '1.5', 'many', '']) {
        const problem = problemOf(await carillon.request('GET', `${path}?limit=${limit}`))
        expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'limit'])
      }
    },
  )
})
