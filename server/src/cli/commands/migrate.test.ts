import { expect, test } from 'vitest'
import { createTestDatabase, useDatabase } from '../../../test/database.ts'
import { ownRelease } from '../../../test/version-folder.ts'
import { carillon } from '../in-process.fixture.ts'

const database = useDatabase()

async function migrate(...args: string[]) {
  const environment = { DATABASE_URL: database.url }
  const { code, stdout, stderr } = await carillon('', ['migrate', ...args, '--json'], { environment })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

test('migrate goes down and up again, and status says where it stands', async () => {
  const { applied, release, ...rest } = await migrate('status')
  expect(rest).toEqual({ pending: [], unknown: [], database_release: release, standing: 'current' })

  expect(await migrate('down', '--count', String(applied.length), '--everything')).toEqual(
    [...applied].reverse(),
  )
  expect(await migrate('status')).toEqual({
    applied: [],
    pending: applied,
    unknown: [],
    release,
    database_release: null,
    standing: 'older',
  })
  expect(await migrate('up')).toEqual(applied)
  expect(await migrate('up')).toEqual([])
})

test('a migrate down that would delete everything has to be meant', async () => {
  const { applied } = await migrate('status')
  const { code, stdout, stderr } = await carillon(
    '',
    ['migrate', 'down', '--count', String(applied.length)],
    {
      environment: { DATABASE_URL: database.url },
    },
  )
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^✗ This would undo 0001_baseline too, .*--everything/)
  expect((await migrate('status')).applied).toEqual(applied)
})

test('status tells people of a newer version beside this one', async () => {
  const { number } = ownRelease()
  const lines = async () => {
    const { stdout } = await carillon('', ['migrate', 'status'], {
      environment: { DATABASE_URL: database.url },
    })
    return stdout.trim().split('\n').slice(-2)
  }
  expect((await lines())[1]).toBe(`✓ release ${number}`)
  const applyMigration = `insert into pgmigrations (name, run_on) values ('9000_added', now())`
  await database.pool.query(applyMigration)
  const applyRelease = `insert into releases (number, compatible_since, hash, functions) values ($1, $2, repeat('0', 64), '{}')`
  await database.pool.query(applyRelease, [number + 1, number])
  expect(await lines()).toEqual([
    '✓ 9000_added (applied by a newer Carillon)',
    `✓ release ${number + 1} (of a newer Carillon; this one, release ${number}, works with it)`,
  ])
  await database.pool.query(applyRelease, [number + 2, number + 2])
  expect(await lines()).toEqual([
    '✗ 9000_added (applied by a newer Carillon)',
    `✗ release ${number + 2} (of a newer Carillon; this one, release ${number}, does not work with it)`,
  ])
})

test('a database that cannot be used is explained without a stack', async () => {
  const environment = { DATABASE_URL: `${database.url}_missing` }
  const { code, stdout, stderr } = await carillon('', ['migrate', 'status'], { environment })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^✗ PostgreSQL at .* cannot be used: .*does not exist/)
  expect(stderr).not.toContain('    at ')
})

test('a migrate down that would drop what is not Carillon’s is explained without a stack', async () => {
  const own = await createTestDatabase()
  await own.pool.query('create view public.ids as select carillon.uuid_v7() as id')
  const { code, stdout, stderr } = await carillon('', ['migrate', 'down', '--everything'], {
    environment: { DATABASE_URL: own.url },
  })
  await own.drop()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^✗ Nothing was undone: .*view public\.ids depends on function uuid_v7\(\)/)
  expect(stderr).not.toContain('    at ')
})
