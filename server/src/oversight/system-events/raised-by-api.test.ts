import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { logSystemEvents } from '../../operations/telemetry/system-event-log.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { deleteSystemEvents } from './stored-events.fixture.ts'
import { raiseSystemEvent } from './system-events.ts'

const carillon = useCarillon()
afterEach(() => deleteSystemEvents(carillon.pool))

const quota = { event_type: 'quota_exceeded', severity: 'high', description: 'The quota is used up.' }
const raise = (body: object, key?: string) =>
  carillon.request('POST', '/v1/system-events', { body, ...(key && { key }) })

it('a system event that an application raises is stored once and then counted', {
  tags: ['S004-10', 'S004-12'],
}, async () => {
  const first = await raise({ ...quota, subject: 'mails', details: { used: 100 } })
  expect(first).toMatchObject({ status: 201, body: { ...quota, subject: 'mails', is_resolved: false } })
  const again = await raise({ ...quota, subject: 'mails' })
  expect(again.body).toMatchObject({ id: first.body.id, details: { used: 100, count: 2 } })
  expect((await raise({ ...quota, subject: 'mails', cool_down_seconds: 0 })).body.id).not.toBe(first.body.id)
})

it('the severity of a counted system event rises and never falls', async () => {
  const first = await raise({ ...quota, severity: 'medium' })
  const worse = { ...quota, severity: 'critical', description: 'Nothing is sent any more.' }
  expect((await raise(worse)).body).toMatchObject({ ...worse, id: first.body.id, details: { count: 2 } })
  expect((await raise({ ...quota, severity: 'low' })).body).toMatchObject({
    ...worse,
    details: { count: 3 },
  })
})

it.each([
  ['event_type', { ...quota, event_type: 'x'.repeat(51) }],
  ['severity', { ...quota, severity: 'fatal' }],
  ['description', { ...quota, description: '' }],
  ['details', { ...quota, details: { text: 'x'.repeat(8200) } }],
  ['details', { ...quota, details: { trigger_depth: 'x' } }],
  ['cool_down_seconds', { ...quota, cool_down_seconds: -1 }],
])('raising a system event with a wrong %s is refused', async (field, body) => {
  expect(problemOf(await raise(body))).toMatchObject({ status: 400, errors: [{ field }] })
})

it('every system event is logged, even one that cannot be stored', { tags: 'S004-12' }, async () => {
  const lines: string[] = []
  const end = logSystemEvents(pino({ level: 'info' }, { write: (line: string) => lines.push(line) }))
  const away = {
    query: () => Promise.reject(new Error('connect ECONNREFUSED')),
  } as unknown as Pool
  const event = { ...quota, severity: 'high', tenant_id: carillon.tenantId } as const
  await expect(raiseSystemEvent(away, event)).rejects.toThrow('ECONNREFUSED')
  await raiseSystemEvent(carillon.pool, { ...event, severity: 'low' })
  end()
  await raiseSystemEvent(carillon.pool, { ...event, subject: 'later' })
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { level: 50, system_event: { event_type: 'quota_exceeded', tenant_id: carillon.tenantId } },
    { level: 30, msg: 'system event: The quota is used up.' },
  ])
})
