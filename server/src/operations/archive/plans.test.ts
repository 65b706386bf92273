/** Reading the archive: by id from one month, in lists by an index of each month and no further than the page needs. */
import { describe, expect, it } from 'vitest'
import { ROWS, useOwnFullDatabase } from '../../../test/full-database.ts'
import { expectIndex, PAGE, readingOf } from '../../../test/plans.ts'
import { selectAttempts } from '../../delivery/routes/attempts.ts'
import { countRoutes, selectRecordRoutes, selectRoutes } from '../../delivery/routes/list.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectRecords } from '../records/list-queries.ts'
import { selectRecord } from '../records/queries.ts'
import { moveBatch } from './queries.ts'

const full = useOwnFullDatabase()
const DAY_MS = 86_400_000

/** An archived record from the middle, and the partitions of its month. */
async function anArchived(): Promise<{ id: string; month: string }> {
  const { rows } = await full.pool.query(
    `select notification_id as id, to_char(accepted_at, 'YYYY_MM') as month from records_archive
     where accepted_at < now() - interval '200 days' order by accepted_at desc limit 1`,
  )
  return rows[0]
}
const monthsIn = (indexes: string[]) => [
  ...new Set(indexes.flatMap(index => /_archive_(\d{4}_\d{2}|default)_/.exec(index)?.[1] ?? [])),
]

describe('reading by id', () => {
  const READS: [string, (db: Pool, id: string) => Promise<unknown>][] = [
    ['a record', (db, id) => selectRecord(db, full.tenantId, id)],
    ['the routes of a record', (db, id) => selectRecordRoutes(db, full.tenantId, id, PAGE)],
    ['the number of routes of a record', (db, id) => countRoutes(db, full.tenantId, id)],
    ['the attempts of a route', (db, id) => selectAttempts(db, full.tenantId, id, ['r'])],
  ]
  it.each(READS)(
    'reading %s by id touches only the month of the record',
    { tags: 'S002-29' },
    async (_name, read) => {
      const { id, month } = await anArchived()
      const { whole, indexes, pages } = await readingOf(full.pool, db => read(db, id))
      expect([whole, monthsIn(indexes)]).toEqual([[], [month]])
      expect(pages).toBeLessThan(40)
    },
  )
})

describe('listing', () => {
  it('the newest routes are listed from no older month of the archive', { tags: 'S002-29' }, async () => {
    const { whole, indexes } = await readingOf(full.pool, db => selectRoutes(db, full.tenantId, PAGE))
    expect(whole).toEqual([])
    const thisMonth = new Date().toISOString().slice(0, 7).replace('-', '_')
    expect(monthsIn(indexes).filter(month => month < thisMonth)).toEqual([])
  })

  it('the newest records are listed from no month of the archive', { tags: 'S002-29' }, async () => {
    const { indexes } = await readingOf(full.pool, db => selectRecords(db, full.tenantId, PAGE))
    expect(monthsIn(indexes)).toEqual([])
  })

  it.each(['pending', 'retrying'])(
    '%s routes are listed from no month of the archive',
    { tags: 'S002-29' },
    async status => {
      const { indexes, whole } = await readingOf(full.pool, db =>
        selectRoutes(db, full.tenantId, { ...PAGE, user_id: 'nobody', status }),
      )
      expect([whole, monthsIn(indexes)]).toEqual([[], []])
    },
  )

  it('old routes of a type are read no further than the page needs', { tags: 'S002-29' }, async () => {
    const { id } = await anArchived()
    const { rows } = await full.pool.query(
      'select notification_type as type from records_archive where notification_id = $1',
      [id],
    )
    const { whole, pages } = await readingOf(full.pool, db =>
      selectRoutes(db, full.tenantId, { after: [id, 'r'], limit: 21, notification_type: rows[0].type }),
    )
    expect(whole).toEqual([])
    expect(pages).toBeLessThan(2000)
  })

  const old = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  it.each<[string, string, (db: Pool) => Promise<unknown>]>([
    [
      'old records',
      '.*_archive_.*accepted_at.*',
      db =>
        selectRecords(db, full.tenantId, {
          after: [old(200), '01900000-0000-7000-8000-000000000000'],
          limit: 21,
        }),
    ],
    [
      'an archived record by key',
      '.*_archive_.*idempotency_key.*',
      db => selectRecords(db, full.tenantId, { ...PAGE, idempotency_key: 'old77' }),
    ],
    [
      'a person’s routes',
      '.*_archive_.*user_id.*',
      db => selectRoutes(db, full.tenantId, { ...PAGE, user_id: `u${0.24 * ROWS}` }),
    ],
    ['dead routes', 'routes_status', db => selectRoutes(db, full.tenantId, { ...PAGE, status: 'dead' })],
  ])('listing %s uses an index of every month', { tags: 'S002-29' }, (_name, index, call) =>
    expectIndex(full.pool, index, call),
  )

  it('old routes are read in the order of the key', { tags: 'S002-29' }, async () => {
    const { id } = await anArchived()
    await expectIndex(full.pool, '.*_archive_.*pkey', db =>
      selectRoutes(db, full.tenantId, { after: [id, 'r'], limit: 21 }),
    )
  })
})

it('a batch of the archiver reads by index what it moves', { tags: 'S002-29' }, async () => {
  // Of the records, one a minute, the younger half stays.
  await full.pool.query(
    'update tenant_retention set record_hot_days = $2::integer / 1440 / 2 where tenant_id = $1',
    [full.tenantId, ROWS],
  )
  await full.pool.query(
    `update routes set updated_at = created_at where notification_id in (
       select notification_id from records order by accepted_at limit 100)`,
  )
  const { whole, indexes } = await readingOf(full.pool, db =>
    moveBatch(db, full.tenantId, undefined, { records: 100, routes: 1000 }),
  )
  expect(whole).toEqual([])
  for (const index of ['records_listing', 'routes_pkey', 'route_attempts_pkey'])
    expect(indexes).toContain(index)
})
