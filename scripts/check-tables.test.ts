import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useDatabase } from '../server/test/database.ts'
import { checkTables } from './check-tables.mjs'
import { TABLE_OWNERS } from './table-owners.mjs'

const OWNERS = { routes: 'delivery/routes', outbox: 'reactions/outbox' }

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon-tables-'))
  mkdirSync(join(root, 'server/functions'), { recursive: true })
  write('server/src/delivery/routes/claim.ts', '')
  write('server/src/reactions/outbox/claim.ts', '')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('who writes a table', () => {
  it('is its own room alone, in code and in SQL functions', () => {
    write('server/src/delivery/routes/claim.ts', 'await db.query(`update routes r set status = $1`)')
    write('server/functions/routes/expire.sql', 'update carillon.routes r set status = 1;')
    write('server/src/people/users/queries.ts', "\nawait db.query('delete from routes where user_id = $1')")
    write('server/functions/digests/close.sql', '-- ends it\nupdate carillon.routes r set status = 1;')
    expect(found()).toEqual([
      'server/functions/digests/close.sql:2 routes is written only in delivery/routes/',
      'server/src/people/users/queries.ts:2 routes is written only in delivery/routes/',
    ])
  })

  it.each([
    'insert into outbox (id) values (1)',
    'INSERT INTO\n  carillon.outbox (id) select 1',
    'with x as (select 1) insert into outbox as o (id) select 1',
    'update outbox set a = 1',
    'update only outbox as o set a = 1',
    'update carillon.outbox o\n   set a = 1',
    'delete from only outbox',
    'merge into outbox o using x on true when matched then delete',
    'truncate outbox',
    'truncate table outbox',
    'truncate routes, outbox',
    'lock table outbox in share mode',
    "execute format('update outbox set a = %s', 1)",
  ])('sees: %s', statement => {
    write('server/src/delivery/routes/claim.ts', `db.query(\`${statement}\`)`)
    write('server/functions/routes/write.sql', `${statement};`)
    expect(found()).toEqual([
      'server/functions/routes/write.sql:1 outbox is written only in reactions/outbox/',
      'server/src/delivery/routes/claim.ts:1 outbox is written only in reactions/outbox/',
    ])
  })

  it.each([
    'select * from outbox for update of o',
    'select id from outbox where id = 1 for no key update skip locked',
    'create trigger t after update on carillon.outbox for each row',
    'create trigger t before update or delete on carillon.outbox for each row',
    'insert into routes (id) values (1) on conflict (outbox) do update set outbox = 1',
    'delete from routes r using outbox o where o.id = r.id',
    'update routes r set a = 1 from outbox o',
  ])('does not mistake: %s', statement => {
    write('server/functions/routes/read.sql', `${statement};`)
    expect(found()).toEqual([])
  })

  it.each(['%I', '%s', '%1$I', 'carillon.%I'])('sees that format() puts in a name: %j', placeholder => {
    write(
      'server/functions/routes/sweep.sql',
      `begin execute format('delete from ${placeholder} where true', name); end`,
    )
    expect(found()).toEqual([
      'server/functions/routes/sweep.sql:1 a written table is named in the statement, so that its room can be checked',
    ])
  })

  it('leaves out comments and tests, and wants names that can be read', () => {
    write(
      'server/src/people/users/users.ts',
      `// delete from routes
/* update routes set a = 1 */
\`update \${table} set a = 1\`
\`delete from \${table}\``,
    )
    write('server/functions/users/users.sql', '-- delete from carillon.routes\n/* truncate routes */')
    write('server/src/people/users/users.test.ts', "db.query('delete from routes')")
    write('server/src/people/users/users.fixture.ts', "db.query('delete from routes')")
    expect(found()).toEqual([
      'server/src/people/users/users.ts:3 a written table is named in the statement, so that its room can be checked',
      'server/src/people/users/users.ts:4 a written table is named in the statement, so that its room can be checked',
    ])
  })
})

describe('exceptions', () => {
  const exceptions = {
    'server/src/people/users/queries.ts': { tables: ['routes', 'outbox'], reason: 'both at once' },
  }

  it('hold for a file and its tables', () => {
    write('server/src/people/users/queries.ts', '`delete from routes`; `delete from outbox`')
    expect(found(exceptions)).toEqual([])
    write('server/src/people/users/more.ts', '`delete from routes`')
    expect(found(exceptions)).toEqual([
      'server/src/people/users/more.ts:1 routes is written only in delivery/routes/',
    ])
  })

  it('go when nobody needs them', () => {
    write('server/src/people/users/queries.ts', '`delete from routes`')
    expect(found(exceptions)).toEqual([
      'server/src/people/users/queries.ts:1 the exception for outbox is not needed any more',
    ])
  })
})

describe('owners', () => {
  const database = useDatabase()

  it('every table has one, and no table that does not exist', async () => {
    const { rows } = await database.pool.query(
      `select relname as name from pg_class where relnamespace = 'carillon'::regnamespace and relkind in ('r', 'p')
         and not relispartition and relname <> 'pgmigrations'`,
    )
    expect(Object.keys(TABLE_OWNERS).sort()).toEqual(rows.map(({ name }) => name).sort())
  })

  it('every one is a room', () => {
    const isThere = (room: string) => existsSync(new URL(`../server/src/${room}`, import.meta.url))
    expect(Object.values(TABLE_OWNERS).filter(room => !isThere(room))).toEqual([])
  })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function found(exceptions: Record<string, { tables: string[]; reason: string }> = {}): string[] {
  const violations: { file: string; line: number; rule: string }[] = checkTables(root, OWNERS, exceptions)
  return violations.map(({ file, line, rule }) => `${file}:${line} ${rule}`).sort()
}
