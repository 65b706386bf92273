/**
 * The time in a record's id is not when its routes were created, but created_after and created_before find the
 * right ones all the same.
 */
import { beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Client } from '../../platform/database/pool.ts'
import { selectRoutes } from './list.ts'

const carillon = useCarillon()
const DAY_MS = 86_400_000
let id: string

beforeEach(async () => {
  id = await carillon.send()
})

const foundSince = async (db: Client, created_after: string) => {
  const rows = await selectRoutes(db, carillon.tenantId, { created_after, after: undefined, limit: 9 })
  return rows.map(row => row.notification_id)
}

/** Rolls back what the test changes. */
async function inside(test: (db: Client) => Promise<void>): Promise<void> {
  const db = await carillon.pool.connect()
  try {
    await db.query('begin')
    await test(db)
  } finally {
    await db.query('rollback')
    db.release()
  }
}

/** The same record under an id that was made earlier. */
async function makeIdOlder(db: Client, byMs: number): Promise<string> {
  const ms = (Number.parseInt(id.replace('-', '').slice(0, 12), 16) - byMs).toString(16).padStart(12, '0')
  const older = `${ms.slice(0, 8)}-${ms.slice(8)}${id.slice(13)}`
  await db.query('update records set notification_id = $2 where notification_id = $1', [id, older])
  return older
}

const justBefore = async (db: Client) => {
  const { rows } = await db.query<{ at: Date }>(
    "select created_at - interval '1 second' as at from routes order by created_at desc limit 1",
  )
  return rows[0]!.at.toISOString()
}

it.each([1_000, 60_000, 30 * 60_000])(
  'created_after finds routes of a process whose clock is %i ms behind the database’s',
  { tags: 'S002-9' },
  byMs =>
    inside(async db => {
      const older = await makeIdOlder(db, byMs)
      expect(await foundSince(db, await justBefore(db))).toContain(older)
    }),
)

it(
  'created_before finds routes of processes whose clock is ahead of the database’s',
  { tags: 'S002-9' },
  () =>
    inside(async db => {
      const newer = await makeIdOlder(db, -30 * 60_000)
      const before = async (created_before: string) =>
        (await selectRoutes(db, carillon.tenantId, { created_before, after: undefined, limit: 9 })).map(
          row => row.notification_id,
        )
      const time = await justBefore(db)
      expect(await before(time)).not.toContain(newer)
      expect(await before(new Date(Date.parse(time) + 2_000).toISOString())).toContain(newer)
      expect(await before('1969-12-31T00:00:00Z')).toEqual([])
    }),
)

it('created_after finds a digest that was opened days before its route was created', { tags: 'S002-9' }, () =>
  inside(async db => {
    const older = await makeIdOlder(db, 3 * DAY_MS)
    await db.query(
      `insert into digests (id, tenant_id, notification_type, channel, recipient_ref, key, first_notification_id,
         created_at, closes_at)
       values ($1, $2, 't', 'email', 'r', '', $1, now() - interval '3 days', now() + interval '4 days')`,
      [older, carillon.tenantId],
    )
    expect(await foundSince(db, await justBefore(db))).toContain(older)
  }),
)

it.each(['expanded since', 'still being expanded'])(
  'created_after finds an audience that was accepted before and is %s',
  { tags: 'S002-9' },
  state =>
    inside(async db => {
      const older = await makeIdOlder(db, 100 * DAY_MS)
      await db.query(
        `update records set accepted_at = now() - interval '100 days', expanded_at = case when $2 then now() end
         where notification_id = $1`,
        [older, state === 'expanded since'],
      )
      await db.query(
        `insert into expansions (tenant_id, notification_id)
         select tenant_id, notification_id from records where expanded_at is null`,
      )
      expect(await foundSince(db, await justBefore(db))).toContain(older)
    }),
)

it('created_after leaves out routes created before, whatever their id says', { tags: 'S002-9' }, () =>
  inside(async db => {
    await db.query("update routes set created_at = now() - interval '1 day' where notification_id = $1", [id])
    expect(await foundSince(db, new Date(Date.now() - DAY_MS / 2).toISOString())).not.toContain(id)
  }),
)
