import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fanOut } from '../../../test/fanout.ts'
import { createClient } from '../../platform/database/pool.ts'
import { readVersion } from '../../platform/database/release.ts'
import { OUTBOX_KINDS } from '../../roles/outbox-kinds.ts'
import { createWalks } from '../invariants/invariants.ts'
import { reconcile } from '../invariants/reconciler.ts'
import { createChance } from './chance.ts'
import { type Demo, makeDemo } from './demo.ts'
import { badHour, FATES, fateOf, happenings } from './history.ts'

const carillon = useCarillon()
const HOUR = 3_600_000
let demo: Demo
let now: number

async function make(name: string): Promise<Demo> {
  const client = createClient(carillon.url)
  await client.connect()
  try {
    const { release } = await readVersion()
    const { pool, providers } = carillon
    return await makeDemo({
      client,
      pool,
      keyring: providers.keyring,
      release,
      name,
      days: 3,
      perDay: 600,
      now,
      onProgress() {},
    })
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  now = Date.now()
  demo = await make('demo')
})
afterAll(() => carillon.pool.query('delete from tenants where id = $1', [demo.tenant.id]))

const ask = (path: string) => carillon.request('GET', path, { key: demo.api_key })

it('the demo has a past that every page can show', async () => {
  const { body } = await ask('/v1/records?limit=100')
  expect(body.data.length).toBe(100)
  const { totals, points } = (
    await ask(
      `/v1/metrics/series?step=hour&from=${new Date(now - 72 * HOUR).toISOString()}&to=${new Date(now).toISOString()}`,
    )
  ).body
  expect(totals.sent).toBeGreaterThan(1000)
  expect(totals.skipped).toBeGreaterThan(0)
  expect(totals.p95_ms).toBeGreaterThan(totals.p50_ms)
  expect(points.filter(({ sent }: { sent: number }) => sent > 0).length).toBeGreaterThan(24)
})

it('the demo has dead letters of the hour in which a provider did not answer, with what was tried', async () => {
  const { data } = (await ask('/v1/dead-letters/groups')).body
  for (const group of data) expect(['ses-eu', 'twilio']).toContain(group.provider)
  const [letter] = (await ask('/v1/dead-letters?limit=1&state=all')).body.data
  const { attempts } = (await ask(`/v1/dead-letters/${letter.id}`)).body
  expect(attempts.length).toBe(letter.final_attempt_count)
  const explained = (await ask(`/v1/records/${letter.notification_id}/explain`)).body
  expect(explained.summary).toContain('dead')
})

it('the demo tells people of its discussions, by rules of its own', async () => {
  await fanOut({ pool: carillon.pool, tenantId: demo.tenant.id })
  const records = await carillon.readAll('/v1/records', 100, demo.api_key)
  const told = records.filter(({ event_id }) => event_id !== null)
  const reasonsOf = (type: string) =>
    new Set(told.filter(({ notification_type }) => notification_type === type).map(({ reason }) => reason))
  expect(new Set(told.map(record => record.notification_type))).toEqual(
    new Set(['comment.created', 'mention']),
  )
  expect([...reasonsOf('comment.created')]).toEqual(expect.arrayContaining(['author', 'watching']))
  expect(reasonsOf('mention')).toEqual(new Set(['mention']))
  const rules = (await ask('/v1/fanout-rules?event_kind=comment.created')).body.data
  expect(rules.map(({ relation }: { relation: string }) => relation)).toContain('mention')
})

it('the reconciler finds nothing wrong with the demo', async () => {
  const walks = createWalks(OUTBOX_KINDS).map(walk => ({ ...walk, portion: 5000 }))
  for (let round = 0; round < 2; round++)
    await reconcile({ pool: carillon.pool, walks, intervalSeconds: 0, graceFactor: 0 })
  const { rows } = await carillon.pool.query('select * from invariant_violations where tenant_id = $1', [
    demo.tenant.id,
  ])
  expect(rows).toEqual([])
})

it('a demo with a name that is taken is refused and changes nothing', async () => {
  const before = await carillon.rowCounts()
  await expect(make('demo')).rejects.toThrow('There is a tenant named demo already')
  expect(await carillon.rowCounts()).toEqual(before)
})

describe('the story', () => {
  const span = { days: 14, perDay: 400, now: Date.parse('2026-11-18T12:00:00Z') }

  it('the story is the same for the same seed, in order, and never in the future', () => {
    const [one, other] = [1, 1].map(seed => happenings(span, createChance(seed)))
    expect(one).toEqual(other)
    expect(one!.every(({ at }, i) => at < span.now && at >= (one![i - 1]?.at ?? 0))).toBe(true)
  })

  it('the story has quiet nights and weekends', () => {
    const at = happenings(span, createChance(1)).map(happening => new Date(happening.at))
    const count = (fits: (time: Date) => boolean) => at.filter(fits).length
    expect(count(time => time.getUTCHours() === 3)).toBeLessThan(count(time => time.getUTCHours() === 10) / 4)
    expect(count(time => time.getUTCDay() === 0)).toBeLessThan(count(time => time.getUTCDay() === 2))
  })

  it('the bad hour of the story has each fate of a mail, with few mails and on any day', () => {
    for (let day = 0; day < 7; day++) {
      const few = { days: 3, perDay: 10, now: span.now + day * 24 * HOUR }
      const fates = happenings(few, createChance(1)).map(each => fateOf(each, few.now, 0))
      expect(new Set(fates)).toEqual(new Set([undefined, ...FATES]))
    }
  })

  it('the bad hour of the story is on the day before', () => {
    const { from, to } = badHour(span.now)
    expect([new Date(from).toISOString(), to - from]).toEqual(['2026-11-17T14:00:00.000Z', HOUR])
  })
})
