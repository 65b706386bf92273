import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { sweepRetention } from '../../operations/retention/retention.ts'
import { warnOfExpiry } from './expiry.ts'

const carillon = useCarillon()

beforeEach(async () => {
  for (const table of ['dead_letters', 'admin_system_events'])
    await carillon.pool.query(`delete from ${table}`)
  await keepFor(30)
})

const keepFor = (days: number, key = carillon.key) =>
  carillon.request('PATCH', '/v1/tenant', { body: { dead_letter_retention_days: days }, key })

/** As the sweeper does it. Returns how many letters operators were told about, and how many were deleted. */
async function sweep(): Promise<[told: number, deleted: number]> {
  const told = await warnOfExpiry(carillon.pool)
  return [told, (await sweepRetention(carillon.pool)).dead_letters]
}

/** Letters of the outbox; `days` is their age. */
async function letters(
  days: number,
  { count = 1, resolution = null as string | null, tenant = carillon.tenantId } = {},
) {
  await carillon.pool.query(
    `insert into dead_letters (tenant_id, source_kind, notification_type, recipient_ref, final_attempt_count,
       max_attempts, failure_reason, failure_classification, failure_message, created_at, resolution, resolved_at,
       original_event_id, source, op, target_id, payload, dispatch)
     select $1, 'outbox', '', '', 3, 3, 'max_retries_exceeded', 'transient', '', now() - make_interval(days => $2, secs => 1),
       $4, case when $4 not in ('handler_failed') then now() end, gen_random_uuid(), 'kv', 'insert', $1, '{}', '{}'
     from generate_series(1, $3)`,
    [tenant, days, count, resolution],
  )
}

const passDays = (days: number) =>
  carillon.pool.query(
    `update dead_letters set created_at = created_at - make_interval(days => $1),
       expiry_warned_at = expiry_warned_at - make_interval(days => $1)`,
    [days],
  )
const events = (key = carillon.key) =>
  carillon.readAll('/v1/system-events?event_type=dead_letters_expiring', 100, key)
const left = async () => (await carillon.pool.query('select from dead_letters')).rowCount

describe('an open dead letter', () => {
  it('goes by age, three days after operators were told how many there are and what to do', {
    tags: 'S003-26',
  }, async () => {
    await letters(26)
    expect(await sweep()).toEqual([0, 0])
    await letters(27, { count: 2 })
    await letters(28)
    expect(await sweep()).toEqual([3, 0])
    const [event] = await events()
    expect(event).toMatchObject({
      severity: 'high',
      description: expect.stringMatching(/deleted.*Replay or resolve.*dead_letter_retention_days/),
      details: { letters: 3, dead_letter_retention_days: 30 },
    })
    const { rows } = await carillon.pool.query(
      "select created_at, created_at + interval '30 days' as ends_at from dead_letters order by created_at limit 1",
    )
    expect(event.details).toMatchObject({
      oldest_at: rows[0].created_at.toISOString(),
      deleted_from: rows[0].ends_at.toISOString(),
    })
    expect(await sweep()).toEqual([0, 0])
    await passDays(2)
    expect(await sweep()).toEqual([1, 1])
    await passDays(1)
    expect(await sweep()).toEqual([0, 2])
    expect(await left()).toBe(1)
  })

  it('is kept for a day after operators were told, even if the setting was lowered below its age', {
    tags: 'S003-26',
  }, async () => {
    await letters(20, { count: 2 })
    await letters(20, { resolution: 'handler_failed' })
    await letters(20, { resolution: 'ignored' })
    expect(await sweep()).toEqual([0, 0])
    await keepFor(10)
    expect(await sweep()).toEqual([3, 1])
    expect(await events()).toMatchObject([{ details: { letters: 3 } }])
    await carillon.pool.query("update dead_letters set expiry_warned_at = now() - interval '23 hours'")
    expect(await sweep()).toEqual([0, 0])
    await carillon.pool.query("update dead_letters set expiry_warned_at = now() - interval '25 hours'")
    expect(await sweep()).toEqual([0, 3])
  })

  it('is told about again if the setting was raised in between', { tags: 'S003-26' }, async () => {
    await letters(28)
    expect(await sweep()).toEqual([1, 0])
    await keepFor(60)
    await passDays(10)
    expect(await sweep()).toEqual([0, 0])
    await passDays(20)
    expect(await sweep()).toEqual([1, 0])
    await passDays(2)
    expect(await sweep()).toEqual([0, 1])
  })

  it('is told about at once and lives for a day if the setting is shorter than the notice', {
    tags: 'S003-26',
  }, async () => {
    await keepFor(1)
    await letters(0)
    expect(await sweep()).toEqual([1, 0])
    await passDays(1)
    expect(await sweep()).toEqual([0, 1])
  })

  it('that is resolved in time is not told about and goes at its age', { tags: 'S003-26' }, async () => {
    await letters(29, { resolution: 'ignored' })
    expect(await sweep()).toEqual([0, 0])
    expect(await events()).toEqual([])
    await passDays(1)
    expect(await sweep()).toEqual([0, 1])
  })

  it('of each tenant is told to that tenant, with its own setting', { tags: 'S003-26' }, async () => {
    const other = await carillon.createTenant('forgetful')
    await keepFor(10, other.key)
    await letters(8, { tenant: other.id, count: 2 })
    await letters(8)
    expect(await sweep()).toEqual([2, 0])
    expect(await events()).toEqual([])
    expect(await events(other.key)).toMatchObject([{ tenant_id: other.id, details: { letters: 2 } }])
  })

  it('about a route is told about before its record takes it along', { tags: 'S003-26' }, async () => {
    const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
    const id = await carillon.send()
    await carillon.settled(id, 'dead')
    await worker.stop()
    await letters(80)
    await keepFor(500)
    await carillon.pool.query(
      `update dead_letters set created_at = now() - interval '363 days' where notification_id = $1`,
      [id],
    )
    expect(await warnOfExpiry(carillon.pool)).toBe(1)
    expect(await events()).toMatchObject([{ details: { letters: 1 } }])
    await carillon.pool.query('delete from records')
  })

  it('thousands of them are told about in one event', { tags: 'S003-26' }, async () => {
    await letters(28, { count: 7000 })
    expect(await sweep()).toEqual([7000, 0])
    expect(await events()).toMatchObject([{ details: { letters: 7000 } }])
  })
})
