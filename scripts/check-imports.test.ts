import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkImports } from './check-imports.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon-imports-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('packages', () => {
  it('lets contract import only zod', () => {
    write('contract/src/a.ts', `import { z } from 'zod'\nimport fs from 'node:fs'\nimport './b.ts'`)
    write(
      'contract/src/a.test.ts',
      `import { it } from 'vitest'\nimport fs from 'node:fs'\nimport pg from 'pg'`,
    )
    expect(found()).toEqual([
      'contract/src/a.test.ts:3 contract imports only zod (pg)',
      'contract/src/a.ts:2 contract imports only zod (node:fs)',
    ])
  })

  it('lets sdk import types of contract and nothing at run time', () => {
    write(
      'sdk/src/client.ts',
      `import type { Intent } from '@carillon/contract'
export type { Answer } from '@carillon/contract'
import { type Page } from '@carillon/contract'
import { fetch } from 'undici'
const lazy = await import('undici')`,
    )
    expect(found()).toEqual([
      'sdk/src/client.ts:3 sdk imports nothing but types of @carillon/contract (@carillon/contract)',
      'sdk/src/client.ts:4 sdk imports nothing but types of @carillon/contract (undici)',
      'sdk/src/client.ts:5 sdk imports nothing but types of @carillon/contract (undici)',
    ])
  })

  it('keeps everybody but bench away from server, and server away from sdk except its command line', () => {
    write('bench/src/a.ts', `import '@carillon/server'\nimport { x } from '../../server/dist/app.js'`)
    write('e2e/a.test.ts', `import '@carillon/server/x'\nimport { w } from '../server/test/wait-for.ts'`)
    write('e2e/b.test.ts', `import { app } from '../server/src/app.ts'`)
    write('server/src/cli/send.ts', `import { Carillon } from '@carillon/sdk'`)
    write('server/src/http/server.test.ts', `import { Carillon } from '@carillon/sdk'`)
    expect(found()).toEqual([
      'e2e/a.test.ts:1 only bench imports @carillon/server (@carillon/server/x)',
      'e2e/b.test.ts:1 another workspace is imported by its package name (../server/src/app.ts)',
      'server/src/http/server.test.ts:1 within server only cli/ imports @carillon/sdk (@carillon/sdk)',
    ])
  })
})

describe('folders of the server', () => {
  it('keeps pg in db/ and the environment in config/', () => {
    write('server/src/db/pool.ts', `import pg from 'pg'`)
    write('server/src/config/load.ts', `export const port = process.env.PORT`)
    write(
      'server/src/inbox/inbox.ts',
      `import type { Pool } from 'pg'
// process.env in a comment is fine, and so is import x from 'pg'
/* import y from 'pg'
   process.env */
const home = \`\${process.env.HOME}\``,
    )
    write('server/src/inbox/inbox.test.ts', `import pg from 'pg'\nprocess.env.TZ`)
    expect(found()).toEqual([
      'server/src/inbox/inbox.ts:1 pg is imported only in db/ (pg)',
      'server/src/inbox/inbox.ts:5 process.env is read only in config/',
    ])
  })

  it('keeps queue, providers and db free of slices, and providers free of db', () => {
    write('server/src/queue/claim.ts', `import {\n  a,\n  b,\n} from '../delivery/gate.ts'`)
    write('server/src/providers/smtp.ts', `import type { Pool } from '../db/pool.ts'`)
    write('server/src/db/pool.ts', `export { a } from '../inbox/inbox.ts'`)
    write('server/src/delivery/gate.ts', `import { claim } from '../db/pool.ts'`)
    write('server/src/inbox/inbox.ts', ``)
    expect(found()).toEqual([
      'server/src/db/pool.ts:1 db/ imports no slice (../inbox/inbox.ts)',
      'server/src/providers/smtp.ts:1 providers/ imports nothing from db/ (../db/pool.ts)',
      'server/src/queue/claim.ts:1 queue/ imports no slice (../delivery/gate.ts)',
    ])
  })

  it('keeps queries private, http at the edge and app with its starters', () => {
    write('server/src/inbox/queries.ts', ``)
    write('server/src/inbox/inbox.ts', `import { q } from './queries.ts'\nimport '../http/problem.ts'`)
    write('server/src/inbox/routes.ts', `import '../http/problem.ts'`)
    write('server/src/access/key-routes.ts', `import '../http/problem.ts'\nimport '../inbox/queries.ts'`)
    write('server/src/http/server.ts', `import './problem.ts'\nimport '../app.ts'`)
    write('server/src/app.ts', `import './http/server2.ts'`)
    write('server/src/main.ts', `import './app.ts'`)
    expect(found()).toEqual([
      'server/src/access/key-routes.ts:2 queries.ts is imported only from its own folder (../inbox/queries.ts)',
      'server/src/http/server.ts:2 app.ts is imported only by main.ts, cli/ and generate/ (../app.ts)',
      'server/src/inbox/inbox.ts:2 http/ is imported only by app.ts, api.ts, http/ and routes files (../http/problem.ts)',
    ])
  })

  it('finds import cycles, also over types', () => {
    write('server/src/queue/a.ts', `import './b.ts'`)
    write('server/src/queue/b.ts', `import type { C } from './c.ts'`)
    write('server/src/queue/c.ts', `\nimport './a.ts'`)
    expect(found()).toEqual([
      'server/src/queue/c.ts:2 no import cycles (queue/a.ts → queue/b.ts → queue/c.ts → queue/a.ts)',
    ])
  })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function found(): string[] {
  const violations: { file: string; line: number; rule: string }[] = checkImports(root)
  return violations.map(({ file, line, rule }) => `${file}:${line} ${rule}`).sort()
}
