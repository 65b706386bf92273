/** The declarations for authors: a script is checked against them as an editor does, and they leave nothing out. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createSandbox } from '../../platform/sandbox/sandbox.ts'
import { PRELUDE } from './prelude.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const carillon = useCarillon()
const sandbox = createSandbox({ workers: 1 })
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(inject('scratchDir'), 'types-'))
  mkdirSync(join(folder, 'node_modules/@carillon'), { recursive: true })
  for (const name of ['sdk', 'contract'])
    symlinkSync(join(ROOT, name), join(folder, 'node_modules/@carillon', name))
  symlinkSync(join(ROOT, 'node_modules/zod'), join(folder, 'node_modules/zod'))
})
afterAll(() => sandbox.close())

/** What the compiler says about a file; '' if nothing. */
async function check(name: string, text: string, options: object = {}): Promise<string> {
  writeFileSync(join(folder, name), text)
  const project = {
    compilerOptions: {
      allowJs: true,
      checkJs: true,
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      target: 'es2023',
      lib: ['es2023'],
      module: 'nodenext',
      types: [],
      ...options,
    },
    files: [name],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  return promisify(execFile)(tsc, ['-p', folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  )
}

const FROM_SDK = '/// <reference types="@carillon/sdk/scripts" />'
const SAMPLE = `
  export default async function () {
    if (event.kind === 'kv') {
      /** @type {string} */
      const key = event.data.key
      await kv.set('copies', key, event.data.value, { ttl_seconds: 60 })
    }
    if (event.kind === 'cron') log(event.data.local.slice(0, 10), event.trigger?.name)
    if (event.kind === 'dead_letter') await deadLetters.resolve(event.data.dead_letter.id, 'ignored')
    if (event.kind === 'http') return { ok: event.data.json }
    const { position } = await notify({
      notification_type: 'x', audience: { kind: 'users', user_ids: ['ada'] }, channels: ['sms'], payload: { n: 1 } })
    const entry = await kv.getEntry('c', 'k')
    const answer = await http.fetch('https://example.com', { method: 'POST', body: JSON.stringify({ position }) })
    await systemEvents.raise({ event_type: 'e', severity: 'low', description: entry?.value + answer.text })
    console.warn(answer.json().anything, position.toFixed())
  }`

describe('GET /v1/scripts/types', () => {
  it('serves the declarations that the SDK publishes', async () => {
    const answer = await carillon.request('GET', '/v1/scripts/types')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.body).toBe(readFileSync(join(ROOT, 'sdk/scripts.d.ts'), 'utf8'))
  })

  it('gives a file that needs nothing else', async () => {
    writeFileSync(
      join(folder, 'carillon-scripts.d.ts'),
      (await carillon.request('GET', '/v1/scripts/types')).body,
    )
    const reference = '/// <reference path="./carillon-scripts.d.ts" />'
    expect(await check('served.js', `// @ts-check\n${reference}\n${SAMPLE}`)).toBe('')
  })
})

describe('the declarations', () => {
  it('fit a script that uses everything', async () => {
    expect(await check('sample.js', `// @ts-check\n${FROM_SDK}\n${SAMPLE}`)).toBe('')
  })

  it.each([
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
    ['node16', { module: 'node16' }],
  ])('are found with the module resolution %s', async (_name, options) => {
    expect(await check('resolved.js', `${FROM_SDK}\n${SAMPLE}`, options)).toBe('')
  })

  it('stand beside those of Node', async () => {
    const options = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }
    expect(await check('node.js', `${FROM_SDK}\n${SAMPLE}`, options)).toBe('')
  })

  it.each([
    ['a kind that does not exist', `if (event.kind === 'mail') log()`, /no overlap/],
    ['data of another kind', `if (event.kind === 'cron') log(event.data.key)`, /'key' does not exist/],
    ['a misspelt function', `await kv.put('c', 'k', 1)`, /'put' does not exist/],
    ['a misspelt field', `await notify({ notification_type: 'x', payload: {}, audiense: 1 })`, /audiense/],
    [
      'an unknown channel',
      `await notify({ notification_type: 'x', audience: { kind: 'tenant' }, channels: ['fax'], payload: {} })`,
      /"fax"|'fax'/,
    ],
    ['another resolution', `await deadLetters.resolve('id', 'replayed')`, /replayed/],
    ['what is not there', 'setTimeout(() => {}, 1)', /setTimeout/],
    ['a field that answers do not have', `(await http.fetch('https://x')).body`, /'body' does not exist/],
  ])('refuse %s', async (_what, line, message) => {
    expect(await check('wrong.js', `${FROM_SDK}\n${line}\nexport {}`)).toMatch(message)
  })

  it('say the same of intents and system events as the contract', async () => {
    const compared = `${FROM_SDK}
      import type { IntentInput, ScriptEvent, ScriptSystemEvent } from '@carillon/contract'
      type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'less') : 'more'
      const intents: Same<Carillon.Intent, IntentInput> = true
      const events: Same<Carillon.SystemEvent, ScriptSystemEvent> = true
      const kinds: Same<Carillon.Event['kind'], ScriptEvent['kind']> = true
      const members: Same<keyof Carillon.Event, keyof ScriptEvent> = true
      export { intents, events, kinds, members }`
    expect(await check('compared.ts', compared, { skipLibCheck: true })).toBe('')
  })

  it('name every global and every function that scripts find', async () => {
    const names = `
      const found = []
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        found.push(name)
        const value = globalThis[name]
        if (Object.isFrozen(value) && typeof value === 'object' && value !== null)
          for (const member of Object.getOwnPropertyNames(value)) found.push(name + '.' + member)
      }
      export default found`
    const bare = new Set(await list(names, ''))
    const own = [...(await list(names, PRELUDE)).filter(name => !bare.has(name)), 'event']
    expect(own).toEqual(expect.arrayContaining(['kv.get', 'http.fetch', 'log', 'console.warn', 'notify']))
    expect(await check('named.js', `${FROM_SDK}\nexport default [${own.join(', ')}]`)).toBe('')
    // and that one that is not declared would be found
    expect(await check('named.js', `${FROM_SDK}\nexport default [kv.missing]`)).toMatch(/missing/)
  })
})

async function list(source: string, prelude: string): Promise<string[]> {
  const outcome = await sandbox.run({
    owner: 'types',
    name: 'names.js',
    source,
    prelude,
    inputJson: '{}',
    limits: { wallMs: 60_000, cpuMs: 5000, memoryBytes: 16 * 1024 * 1024, maxResultBytes: 65_536 },
    call: async () => 'null',
  })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return JSON.parse(outcome.resultJson)
}
