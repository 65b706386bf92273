import { afterEach, describe, expect, inject, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { canStartPgBouncer, usePgBouncer } from '../../../test/pgbouncer.ts'
import { loadConfig } from '../config/config.ts'
import { openDatabase } from '../embedded-database/open.ts'
import { createHinter, createListener, DUE } from './listener.ts'
import { createPool, type Pool, transaction } from './pool.ts'
import { refuseUnpreparedPooler } from './pooler.ts'

describe.runIf(canStartPgBouncer)('a pooler in transaction mode', () => {
  const database = useDatabase()
  const pgbouncer = usePgBouncer()
  const pools: Pool[] = []
  const pooled = (url = database.url) => {
    const pool = createPool(pgbouncer.through(url), { isPooler: true, timeoutMs: 5000 })
    pools.push(pool)
    return pool
  }
  afterEach(() => Promise.all(pools.splice(0).map(pool => pool.end())))

  it('is not taken for the server', async () => {
    const config = loadConfig({ DATABASE_URL: pgbouncer.through(database.url) })
    await expect(openDatabase(config, () => {})).rejects.toThrow(
      /is a pooler. Put the address of the server itself into DATABASE_URL/,
    )
  })

  it('has to lead to the same database', async () => {
    const elsewhere = pooled(inject('postgresUrl'))
    await expect(refuseUnpreparedPooler(elsewhere, database.url)).rejects.toThrow('leads to another database')
  })

  it('is refused with the statements that its role needs, and those are enough', async () => {
    const refusal: Error = await refuseUnpreparedPooler(pooled(), database.url).then(
      () => new Error('was not refused'),
      error => error,
    )
    const statements = refusal.message.split('\n').slice(1)
    expect(statements).toContainEqual(
      expect.stringMatching(/^ {2}alter role .* set search_path = 'carillon';$/),
    )
    await database.pool.query(statements.join('\n'))
    await pgbouncer.ask('reconnect')
    await refuseUnpreparedPooler(pooled(), database.url)
    const { rows } = await pooled().query("select current_setting('search_path') as path, now()::text as now")
    expect(rows).toEqual([{ path: 'carillon', now: expect.stringMatching(/\+00$/) }])
  })

  it('may give a named statement to a session that has never heard of it', async () => {
    const pool = pooled()
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          pool.query({ name: 'twice', text: 'select $1::integer * 2 as n, pg_sleep(0.001)', values: [i] }),
        ),
      )
      expect(answers.map(({ rows }) => rows[0].n)).toEqual([0, 2, 4, 6, 8, 10, 12, 14])
    }
  })

  it('leaves nothing of a transaction to the next, whoever has its session', async () => {
    const pool = pooled()
    await transaction(pool, async tx => {
      await tx.query("set local lock_timeout = '7s'")
      await tx.query('select pg_advisory_xact_lock(42)')
    })
    const sessions = Array.from({ length: 10 }, () =>
      pool.query(
        "select current_setting('lock_timeout') as timeout, pg_try_advisory_xact_lock(42) as locked, pg_sleep(0)",
      ),
    )
    for (const { rows } of await Promise.all(sessions)) expect(rows[0].timeout).toBe('0')
  })

  it('carries hints to whoever listens at the server', async () => {
    let heard = 0
    const listener = createListener(database.url, { [DUE]: () => heard++ })
    await expect.poll(() => heard).toBe(1)
    createHinter(pooled()).hint()
    await expect.poll(() => heard).toBe(2)
    await listener.stop()
  })
})
