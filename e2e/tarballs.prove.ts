import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { freePort } from '../server/test/free-port.ts'
import { type CarillonProcess, runCarillon } from './carillon-process.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'
import { execute, PACKAGES, packTarballs, ROOT } from './tarballs.fixture.ts'

// npm fetches what the packages depend on, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let application: string
let server: string
beforeAll(async () => {
  const tarballs = await packTarballs(inject('scratchDir'))
  const installs = [tarballs.install(['contract', 'sdk']), tarballs.install([...PACKAGES])] as const
  ;[application, server] = await Promise.all(installs)
})

describe('an application with the SDK', () => {
  // .mts and .cts decide the format, whatever the project's own package.json says.
  beforeAll(() => {
    for (const extension of ['mts', 'cts'])
      copyFileSync(new URL('consumer/send.mts', import.meta.url), join(application, `send.${extension}`))
  })

  const WITH_NODE = { lib: ['es2022'], types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }
  const WITH_BROWSER = { lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] }

  test.concurrent.each([
    ['node16', { module: 'node16', moduleResolution: 'node16', ...WITH_NODE }],
    ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext', ...WITH_BROWSER }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler', ...WITH_BROWSER, files: ['send.mts'] }],
  ])('compiles under strict TypeScript with moduleResolution %s', async (name, options) => {
    const { files = ['send.mts', 'send.cts'], ...compilerOptions } = { files: undefined, ...options }
    const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }
    const common = { target: 'es2022', skipLibCheck: false, outDir: `out-${name}` }
    const project = { compilerOptions: { ...common, ...strict, ...compilerOptions }, files }
    writeFileSync(join(application, `tsconfig.${name}.json`), JSON.stringify(project))
    const compiler = join(ROOT, 'node_modules/.bin/tsc')
    expect(await execute(compiler, ['-p', `tsconfig.${name}.json`], { cwd: application })).toBe('')
  })
})

test('the SDK declares what scripts can use', async () => {
  const script = `// @ts-check\n/// <reference types="@carillon/sdk/scripts" />\nexport default await kv.get('c', event.id)\n`
  writeFileSync(join(application, 'script.mjs'), script)
  const options = {
    allowJs: true,
    noEmit: true,
    strict: true,
    module: 'nodenext',
    lib: ['es2023'],
    types: [],
  }
  const project = { compilerOptions: options, files: ['script.mjs'] }
  writeFileSync(join(application, 'tsconfig.script.json'), JSON.stringify(project))
  const compiler = join(ROOT, 'node_modules/.bin/tsc')
  expect(await execute(compiler, ['-p', 'tsconfig.script.json'], { cwd: application })).toBe('')
})

describe('the installed server', () => {
  let folder: DataFolder
  let carillon: CarillonProcess
  let url: string
  beforeAll(async () => {
    folder = makeDataFolder(inject('scratchDir'))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const program = join(server, 'node_modules/.bin/carillon')
    carillon = runCarillon(['start'], { PORT: String(port), CARILLON_DATA_DIR: folder.path }, program)
    await carillon.ready(url)
  })
  afterAll(async () => {
    await carillon?.end('SIGTERM')
    await folder?.remove()
  })

  test('is what npx runs', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const said = await execute('npx', ['--no-install', 'carillon', '--version'], { cwd: server })
    expect(said.trim()).toBe(version)
  })

  test('serves the API and its documentation', async () => {
    for (const path of ['/openapi.json', '/docs/', '/metrics', '/inbox/carillon-inbox.js', '/playground'])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
  })

  test('runs scripts, and has the declarations for their authors', async () => {
    const headers = { authorization: `Bearer ${folder.apiKey()}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ source: `log('here'); export default await kv.get('c', 'k')` })
    const tested = await fetch(`${url}/v1/scripts/test`, { method: 'POST', headers, body })
    expect(await tested.json()).toMatchObject({
      status: 'succeeded',
      result: null,
      logs: [{ message: 'here' }],
    })
    const types = await fetch(`${url}/v1/scripts/types`, { headers })
    expect(await types.text()).toContain('declare namespace Carillon')
  })

  test.each([
    ['an ES module', 'out-nodenext/send.mjs'],
    ['CommonJS', 'out-node16/send.cjs'],
  ])('answers an application that is %s', async (_format, file) => {
    const env = { ...process.env, CARILLON_URL: url, CARILLON_API_KEY: folder.apiKey() }
    const said = await execute(process.execPath, [file], { cwd: application, env })
    expect(JSON.parse(said)).toEqual({
      type: 'welcome',
      refused: 'not_found',
      unsigned: 'The header webhook-id is missing.',
    })
  })
})
