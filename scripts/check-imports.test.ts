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
    write('server/src/cli/commands/send.ts', `import { Carillon } from '@carillon/sdk'`)
    write('server/src/http/server.test.ts', `import { Carillon } from '@carillon/sdk'`)
    expect(found()).toEqual([
      'e2e/a.test.ts:1 only bench imports @carillon/server (@carillon/server/x)',
      'e2e/b.test.ts:1 another workspace is imported by its package name (../server/src/app.ts)',
      'server/src/http/server.test.ts:1 within server only cli/ imports @carillon/sdk (@carillon/sdk)',
    ])
  })
})

describe('folders of the server', () => {
  it('keeps pg in platform/database/ and the environment in platform/config/', () => {
    write('server/src/platform/database/pool.ts', `import pg from 'pg'`)
    write('server/src/platform/config/load.ts', `export const port = process.env.PORT`)
    write(
      'server/src/inbox/notifications/inbox.ts',
      `import type { Pool } from 'pg'
// process.env in a comment is fine, and so is import x from 'pg'
/* import y from 'pg'
   process.env */
const home = \`\${process.env.HOME}\``,
    )
    write('server/src/inbox/notifications/inbox.test.ts', `import pg from 'pg'\nprocess.env.TZ`)
    expect(found()).toEqual([
      'server/src/inbox/notifications/inbox.ts:1 pg is imported only in platform/database/ (pg)',
      'server/src/inbox/notifications/inbox.ts:5 process.env is read only in platform/config/',
    ])
  })

  it('lets a wing import only from those below it, and knows every wing', () => {
    write(
      'server/src/platform/queue/claim.ts',
      `import {\n  a,\n  b,\n} from '../../delivery/routes/claim.ts'`,
    )
    write('server/src/delivery/routes/claim.ts', `import { a } from '../../platform/database/pool.ts'`)
    write('server/src/content/links/links.ts', `import type { a } from '../../people/users/users.ts'`)
    write('server/src/people/users/users.ts', `import { startCarillon } from '../../api.ts'`)
    write('server/src/cli/commands/start.ts', `import { a } from '../delivery/routes/claim.ts'`)
    write('server/src/drawer/things.ts', `import '../platform/queue/worker.ts'`)
    expect(found()).toEqual([
      'server/src/content/links/links.ts:1 content/ imports only from the wings below it (../../people/users/users.ts)',
      'server/src/drawer/things.ts:1 drawer/ is not a wing; scripts/wings.mjs lists them (../platform/queue/worker.ts)',
      'server/src/people/users/users.ts:1 people/ imports only from the wings below it (../../api.ts)',
      'server/src/platform/queue/claim.ts:1 platform/ imports only from the wings below it (../../delivery/routes/claim.ts)',
    ])
  })

  it('keeps services free of the database', () => {
    write(
      'server/src/providers/services/smtp.ts',
      `import type { Pool } from '../../platform/database/pool.ts'`,
    )
    expect(found()).toEqual([
      'server/src/providers/services/smtp.ts:1 providers/services/ imports nothing from platform/database/ (../../platform/database/pool.ts)',
    ])
  })

  it('keeps queries private, http at the edge and app with its starters', () => {
    write('server/src/people/users/queries.ts', ``)
    write(
      'server/src/people/users/users.ts',
      `import './queries.ts'\nimport '../../platform/http/problem.ts'`,
    )
    write('server/src/people/users/routes.ts', `import '../../platform/http/problem.ts'`)
    write(
      'server/src/people/watches/routes.ts',
      `import '../../platform/http/problem.ts'\nimport '../users/queries.ts'`,
    )
    write('server/src/roles/api.ts', `import '../platform/http/server.ts'\nimport '../app.ts'`)
    write('server/src/app.ts', `import './platform/http/server.ts'`)
    write('server/src/main.ts', `import './app.ts'`)
    expect(found()).toEqual([
      'server/src/people/users/users.ts:2 platform/http/ is imported only by app.ts, api.ts, roles/ and routes files (../../platform/http/problem.ts)',
      'server/src/people/watches/routes.ts:2 queries.ts is imported only from its own folder (../users/queries.ts)',
      'server/src/roles/api.ts:2 app.ts is imported only by main.ts, cli/ and generate/ (../app.ts)',
    ])
  })

  it('finds import cycles between files, also over types', () => {
    write('server/src/platform/queue/a.ts', `import './b.ts'`)
    write('server/src/platform/queue/b.ts', `import type { C } from './c.ts'`)
    write('server/src/platform/queue/c.ts', `\nimport './a.ts'`)
    expect(found()).toEqual([
      'server/src/platform/queue/c.ts:2 no import cycles (platform/queue/a.ts → platform/queue/b.ts → platform/queue/c.ts → platform/queue/a.ts)',
    ])
  })

  it('finds cycles between folders where no files form one', () => {
    write('server/src/people/users/a.ts', `import '../watches/b.ts'`)
    write('server/src/people/watches/b.ts', ``)
    write('server/src/people/watches/c.ts', `\nimport '../users/d.ts'`)
    write('server/src/people/users/d.ts', ``)
    expect(found()).toEqual([
      'server/src/people/watches/c.ts:2 no cycles between folders (people/users → people/watches → people/users)',
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
