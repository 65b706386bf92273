/** What an instance does with the work that was due when it was restored. */
import { beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { emit } from '../../../test/events.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Service } from '../../platform/queue/service.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { createHold } from './hold.ts'
import { discardHeldWork, findHeldRestore, holdInstance, releaseInstance } from './restores.ts'

const carillon = useCarillon()
const hold = () => holdInstance(carillon.pool, { backup_id: 'one', restored_to: new Date() })

beforeEach(async () => {
  for (const table of ['restores', 'records', 'outbox', 'schedules', 'domain_events', 'admin_system_events'])
    await carillon.pool.query(`delete from ${table}`)
  await carillon.putUser('ada', { email: 'ada@example.com' })
})

const send = (channels: string[], more: object = {}) =>
  carillon.send({ audience: { kind: 'users', user_ids: ['ada'] }, channels, ...more })
const statusesOf = async (id: string) =>
  Object.fromEntries(
    (await carillon.routesOf(id)).map(({ channel, status, reason }) => [channel, [status, reason]]),
  )

it('discarding cancels what was due, and neither what comes later nor what came since', async () => {
  const due = await send(['email', 'in_app'])
  const later = await send(['email'], { send_at: '2036-01-01T00:00:00Z' })
  await carillon.pool.query(`insert into outbox (id, tenant_id, source_kind, op, target_id, payload)
    select gen_random_uuid(), id, 'webhook', 'op', gen_random_uuid(), '{}' from tenants limit 1`)
  expect((await hold()).work).toMatchObject({ routes: { email: 1, in_app: 1 }, outbox: 1, expansions: 0 })
  const since = await send(['email'])
  await discardHeldWork(carillon.pool)
  expect(await statusesOf(due)).toEqual({ email: ['cancelled', 'restored'], in_app: ['pending', ''] })
  expect(await statusesOf(later)).toMatchObject({ email: ['pending', expect.anything()] })
  expect(await statusesOf(since)).toMatchObject({ email: ['pending', expect.anything()] })
  expect(await carillon.rowCounts()).toMatchObject({ outbox: 0 })
  expect(await findHeldRestore(carillon.pool)).toBeUndefined()
})

it('releasing leaves what was due as it is', async () => {
  const due = await send(['email'])
  await hold()
  await releaseInstance(carillon.pool)
  expect(await statusesOf(due)).toMatchObject({ email: ['pending', expect.anything()] })
  await expect(releaseInstance(carillon.pool)).rejects.toThrow('Nothing is held back')
  const { rows } = await carillon.pool.query('select decision from restores')
  expect(rows).toEqual([{ decision: 'released' }])
})

it('a restored instance leaves out the due runs of schedules and goes on with the next', async () => {
  const { body } = await carillon.request('POST', '/v1/schedules', {
    body: {
      name: 'Daily',
      cron: '0 9 * * *',
      timezone: 'UTC',
      intent: { notification_type: 'report', audience: { kind: 'users', user_ids: ['ada'] }, payload: {} },
    },
  })
  await carillon.pool.query("update schedules set next_run_at = now() - interval '40 days'")
  await hold()
  const schedule = (await carillon.request('GET', `/v1/schedules/${body.id}`)).body
  expect(new Date(schedule.next_run_at).getTime()).toBeGreaterThan(Date.now())
  expect(schedule.last_run_at).toBeNull()
})

it('discarding leaves no event from before unread, and every event since', async () => {
  await emit(carillon.pool, { kind: 'before' })
  expect((await hold()).work.events).toBe(1)
  await emit(carillon.pool, { kind: 'since' })
  await discardHeldWork(carillon.pool)
  const { data: consumers } = (await carillon.request('GET', '/v1/event-consumers')).body
  expect(new Set(consumers.map(({ lag }: { lag: number }) => lag))).toEqual(new Set([0]))
  const unordered = (await carillon.readAll('/v1/events')).filter(({ id }) => id === null)
  expect(unordered).toMatchObject([{ kind: 'since' }])
})

it('a restored instance has a critical system event until an operator has decided', async () => {
  const open = () => carillon.readAll('/v1/system-events?event_type=instance_restored&state=open')
  await hold()
  expect(await open()).toMatchObject([{ severity: 'critical' }])
  await releaseInstance(carillon.pool)
  expect(await open()).toEqual([])
})

it('a process starts what sends only when the operator has decided', async () => {
  const happened: string[] = []
  const service: Service = {
    name: 'sends',
    start: async () => void happened.push('started'),
    stop: async () => void happened.push('stopped'),
  }
  const wake = createWake()
  const create = () =>
    createHold({
      pool: carillon.pool,
      wake,
      services: [service],
      onHeld: () => happened.push('held'),
      onReleased: () => happened.push('released'),
      onError: error => happened.push(String(error)),
    })
  await hold()
  const stopped = create()
  await stopped.start()
  await stopped.stop()
  const waiting = create()
  await waiting.start()
  await releaseInstance(carillon.pool)
  wake.call()
  await waitFor(async () => happened.includes('released'), { what: 'the release' })
  await waiting.stop()
  const free = create()
  await free.start()
  await free.stop()
  expect(happened).toEqual(['held', 'held', 'started', 'released', 'stopped', 'started', 'stopped'])
})
