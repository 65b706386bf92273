import { expect, test } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { carillon } from '../in-process.fixture.ts'

const database = useDatabase()

async function migrate(...args: string[]) {
  const environment = { DATABASE_URL: database.url }
  const { code, stdout, stderr } = await carillon('', ['migrate', ...args, '--json'], { environment })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

test('migrate goes down and up again, and status says where it stands', async () => {
  const { applied, pending, unknown } = await migrate('status')
  expect({ pending, unknown }).toEqual({ pending: [], unknown: [] })
  const newest = applied.at(-1)

  expect(await migrate('down')).toEqual([newest])
  expect(await migrate('status')).toEqual({ applied: applied.slice(0, -1), pending: [newest], unknown: [] })
  expect(await migrate('up')).toEqual([newest])
  expect(await migrate('up')).toEqual([])
})

test('a database that cannot be used is explained without a stack', async () => {
  const environment = { DATABASE_URL: `${database.url}_missing` }
  const { code, stdout, stderr } = await carillon('', ['migrate', 'status'], { environment })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^✗ PostgreSQL at .* cannot be used: .*does not exist/)
  expect(stderr).not.toContain('    at ')
})
