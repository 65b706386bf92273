/** The folder of docs/guides/scripts.md, pushed to a real API and tried out there. */
import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, inject, it } from 'vitest'
import { carillon as commandLine } from '../../server/src/cli/in-process.fixture.ts'
import { useCarillon } from '../../server/test/carillon.ts'

const carillon = useCarillon()
const folder = new URL('.', import.meta.url).pathname
const names = readdirSync(folder)
  .filter(file => file.endsWith('.js'))
  .map(file => file.replace('.js', ''))
let url: string
const run = (...args: string[]) =>
  commandLine(url, ['scripts', ...args], { environment: { CARILLON_API_KEY: carillon.key } })

beforeAll(async () => {
  url = await carillon.listen()
})

it('every sample of every script does what it says, and nothing is stored by that', async () => {
  const before = await carillon.rowCounts()
  const shown = await run('test', folder)
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  for (const name of names) expect(shown.stdout).toMatch(new RegExp(`^${name} .* passed$`, 'm'))
  expect(await carillon.rowCounts()).toEqual(before)
})

it('pushing saves them; pushing again, and pulling, change nothing', async () => {
  const first = await run('push', folder)
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout.match(/created/g)).toHaveLength(names.length)
  expect((await run('push', folder)).stdout.match(/version 1, unchanged/g)).toHaveLength(names.length)
  const pulled = join(inject('scratchDir'), 'pulled-scripts')
  await run('pull', pulled)
  expect((await run('push', pulled)).stdout.match(/version 1, unchanged/g)).toHaveLength(names.length)
  expect(await carillon.readAll('/v1/scripts')).toContainEqual(
    expect.objectContaining({ name: 'daily-summary', timeout_ms: 5000 }),
  )
})

it('their types are right', async () => {
  const root = new URL('../../', import.meta.url).pathname
  const project = {
    compilerOptions: {
      ...{ allowJs: true, checkJs: true, noEmit: true, strict: true },
      ...{ target: 'es2023', lib: ['es2023'], module: 'nodenext', types: [] },
    },
    files: names.map(name => join(folder, `${name}.js`)),
  }
  const file = join(inject('scratchDir'), 'tsconfig.example-scripts.json')
  writeFileSync(file, JSON.stringify(project))
  const tsc = join(root, 'node_modules/.bin/tsc')
  const said = await promisify(execFile)(tsc, ['-p', file]).catch(({ stdout }) => ({ stdout }))
  expect(said.stdout).toBe('')
})
