/** The months of the archive: made ahead, made for what came without one, written to files and dropped. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { create } from '../../../test/calls/call.ts'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { openTransaction, untilBlocked } from '../../../test/open-transaction.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { sweepRetention } from '../retention/retention.ts'
import { archiveOnce } from './archive.ts'
import { useFinished } from './finished.fixture.ts'

const carillon = useCarillon()
const { age, ids, told, expectOnePlace } = useFinished(carillon)
const archive = () => archiveOnce(carillon.pool)
const keep = (days: object) => carillon.request('PATCH', '/v1/tenant', { body: days })
const toBoth = { audience: { kind: 'users', user_ids: ['ada', 'bob'] }, channels: ['email'] }

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
})
beforeEach(async () => {
  for (const table of ['records', 'records_archive']) await carillon.pool.query(`delete from ${table}`)
  await keep({ record_hot_days: 90, record_retention_days: 365 })
})

async function sent(intent: object = {}): Promise<string> {
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const id = await carillon.send(intent)
  await carillon.settled(id, 'sent')
  await worker.stop()
  return id
}

describe('the months of the archive', () => {
  const months = async (): Promise<string[]> =>
    (await carillon.pool.query('select month::text from archive_months()')).rows.map(row => row.month)
  /** The partitions of the archive that have records. */
  const parts = async (): Promise<string[]> =>
    (
      await carillon.pool.query('select distinct tableoid::regclass::text as part from records_archive')
    ).rows.map(row => row.part)
  /** The partition for the time at which the only record was accepted. */
  const partOfRecord = async () => {
    const [{ accepted_at }] = await carillon.readAll('/v1/records')
    return `records_archive_${accepted_at.slice(0, 7).replace('-', '_')}`
  }
  /** Moves what is finished, also where its month has not been made. */
  const moveAnyway = (db: Executor = carillon.pool) =>
    db.query(`select archive_records($1, '-infinity', $1, 10, 10)`, [carillon.tenantId])

  it('the months of the archive are made ahead, and a row is in the month of its id', {
    tags: 'S002-29',
  }, async () => {
    await sent()
    await age(91)
    await archive()
    expect(await parts()).toEqual([await partOfRecord()])
    const ahead = await carillon.pool.query(
      `select to_char(date_trunc('month', now() + interval '3 months'), 'YYYY-MM-DD') as month`,
    )
    expect(await months()).toContain(ahead.rows[0].month)
  })

  it('a new month of the archive takes over what the default partition has of it', async () => {
    await carillon.pool.query(`select create_archive_months(now()::date, now()::date)`)
    await sent()
    await age(2000)
    await keep({ record_retention_days: 3000 })
    await moveAnyway()
    expect(await parts()).toEqual(['records_archive_default'])
    const before = await told()
    await carillon.pool.query(
      'select create_archive_months(accepted_at::date, accepted_at::date) from records_archive',
    )
    expect(await parts()).toEqual([await partOfRecord()])
    expect(await told()).toEqual(before)
    await expectOnePlace()
  })

  it('a month of the archive with nothing to keep is dropped after it was written to files', {
    tags: ['S000-31', 'S002-29'],
  }, async () => {
    const folder = await mkdtemp(join(inject('scratchDir'), 'archive-'))
    await sent(toBoth)
    const provider = await create(carillon, '/v1/providers', {
      name: 'p',
      kind: 'smtp',
      config: { host: '127.0.0.1', port: 2525, from: 'a@example.com' },
    })
    await age(420)
    await keep({ record_retention_days: 500 })
    await archive()
    const [id] = await ids('records_archive')
    await carillon.pool.query(
      `insert into provider_callbacks (tenant_id, provider_id, event_id, notification_id, route_id, kind, occurred_at)
       select tenant_id, $1, 'e', notification_id, route_id, 'opened', now() from routes_archive limit 1`,
      [provider],
    )
    const [before] = (await told()).routes
    expect(await archiveOnce(carillon.pool, { exportDir: folder })).toMatchObject({ months: [] })
    await keep({ record_retention_days: 365 })
    expect(await sweepRetention(carillon.pool)).toMatchObject({ records: 0, archived_records: 0 })
    const month = before.created_at.slice(0, 7)
    writeFileSync(join(folder, `records-${month}.ndjson.gz.part`), 'left by a process that was killed')
    const { months: gone } = await archiveOnce(carillon.pool, { exportDir: folder })
    expect(gone.length).toBeGreaterThan(0)
    expect(await ids('records_archive')).toEqual([])
    expect((await carillon.request('GET', `/v1/records/${id}`)).status).toBe(404)
    expect(await carillon.rowCounts()).toMatchObject({ provider_callbacks: 0 })
    expect(readdirSync(folder).sort()).toEqual([
      `records-${month}.ndjson.gz`,
      `route_attempts-${month}.ndjson.gz`,
      `routes-${month}.ndjson.gz`,
    ])
    const lines = (table: string) =>
      gunzipSync(readFileSync(join(folder, `${table}-${month}.ndjson.gz`)))
        .toString()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    expect(lines('records')).toMatchObject([{ notification_id: id, idempotency_key: expect.any(String) }])
    expect(lines('routes')).toHaveLength(2)
    expect(lines('routes')).toContainEqual(
      expect.objectContaining({ route_id: before.route_id, status: 'sent' }),
    )
    expect(lines('route_attempts')).toHaveLength(2)
  })

  it('a month that is made again is written to another file, and the same month twice to one', {
    tags: 'S002-29',
  }, async () => {
    const folder = await mkdtemp(join(inject('scratchDir'), 'archive-'))
    const idsIn = (file: string) =>
      gunzipSync(readFileSync(join(folder, file)))
        .toString()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).notification_id)
    const dropped: string[] = []
    for (let n = 0; n < 2; n++) {
      await sent()
      await age(420)
      await keep({ record_retention_days: 500 })
      await archive()
      dropped.push(...(await ids('records_archive')))
      await keep({ record_retention_days: 365 })
      // as if the process had been killed after it had written the files, and before it dropped the month
      const holder = await openTransaction(carillon.pool)
      await holder.client.query('lock table records_archive in access share mode')
      await expect(archiveOnce(carillon.pool, { exportDir: folder })).rejects.toThrow('lock timeout')
      await holder.rollback()
      await archiveOnce(carillon.pool, { exportDir: folder })
    }
    expect(await ids('records_archive')).toEqual([])
    const files = readdirSync(folder).filter(file => file.startsWith('records-'))
    expect(files).toEqual([
      expect.stringMatching(/^records-\d{4}-\d\d-2\.ndjson\.gz$/),
      expect.stringMatching(/^records-\d{4}-\d\d\.ndjson\.gz$/),
    ])
    expect(files.toReversed().flatMap(idsIn)).toEqual(dropped)
  })

  it('a tenant that keeps less than others has its own archived rows deleted at its own time', {
    tags: 'S000-31',
  }, async () => {
    const other = await carillon.createTenant('forgetful archive')
    await carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 100 }, key: other.key })
    const answer = await carillon.request('POST', '/v1/intents', { body: AN_INTENT, key: other.key })
    await carillon.request('POST', `/v1/records/${answer.body.notification_id}/cancel`, { key: other.key })
    await sent()
    await age(95)
    await archive()
    expect(await sweepRetention(carillon.pool)).toMatchObject({ archived_records: 0 })
    await carillon.pool.query(`update records_archive set accepted_at = accepted_at - interval '10 days'`)
    expect(await sweepRetention(carillon.pool)).toMatchObject({ archived_records: 1, records: 0 })
    expect(await carillon.readAll('/v1/records')).toHaveLength(1)
    await expectOnePlace()
  })

  it('the archiver makes the month of a row that came without one', { tags: 'S002-29' }, async () => {
    await sent()
    await age(800)
    await keep({ record_retention_days: 1000 })
    await moveAnyway()
    const before = await told()
    await archive()
    expect(await parts()).toEqual([await partOfRecord()])
    expect(await told()).toEqual(before)
  })

  it('a process may make only months that records can be in', async () => {
    const before = await months()
    await carillon.pool.query(`select create_archive_months('0400-01-01'::date, '1990-01-01'::date)`)
    await carillon.pool.query(`select create_archive_months('2400-01-01'::date, '9000-01-01'::date)`)
    expect(await months()).toEqual(before)
  })

  it('a month is not dropped while something to be kept is moved into the month', {
    tags: 'S002-29',
  }, async () => {
    await keep({ record_retention_days: 1000 })
    await sent()
    await age(800)
    // its id is that of a clock that was wrong; it came a hundred days ago
    await carillon.pool.query(`update records set accepted_at = now() - interval '100 days'`)
    await carillon.pool.query(
      `select create_archive_months((now() - interval '801 days')::date, now()::date)`,
    )
    await keep({ record_retention_days: 365 })
    const [id] = await ids('records')
    const mover = await openTransaction(carillon.pool)
    await moveAnyway(mover.client)
    const dropping = carillon.pool.query(
      `select drop_archive_month(archive_month(notification_id)) as dropped from records`,
    )
    await untilBlocked(carillon.pool, 1, 'the month to be waited for')
    await mover.commit()
    expect((await dropping).rows).toEqual([{ dropped: false }])
    expect(await ids('records_archive')).toEqual([id])
  })

  it('a process may not drop a month that has something to keep', async () => {
    await sent()
    await age(91)
    await archive()
    const [month] = await months()
    const { rows } = await carillon.pool.query('select drop_archive_month($1::date) as dropped', [
      (await months()).at(-5) ?? month,
    ])
    expect(rows).toEqual([{ dropped: false }])
    expect(await ids('records_archive')).toHaveLength(1)
  })
})
