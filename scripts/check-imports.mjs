/** Holds the direction of dependencies: which package, and which folder of the server, may import which. */
import { dirname } from 'node:path/posix'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { lineOf, scanWorkspaces } from './import-scan.mjs'

const slices = new Set([
  'access',
  'branding',
  'audit-logs',
  'callbacks',
  'captured-messages',
  'dead-letters',
  'delivery',
  'devices',
  'digests',
  'inbox',
  'intake',
  'limits',
  'maintenance',
  'outbox',
  'metrics',
  'preferences',
  'provider-configs',
  'records',
  'routing',
  'simulation',
  'schedules',
  'suppressions',
  'system-events',
  'template-parts',
  'templates',
  'throttles',
  'translations',
  'webhook-deliveries',
  'webhook-recoveries',
  'webhooks',
])
const testTools = new Set(['vitest', 'fast-check', 'node'])

// Each gives the broken rule, or nothing. They hold for tests too: a package is what others install.
const packageRules = [
  function contractNeedsOnlyZod(file, { name }) {
    const isAllowed = name === undefined || name === 'zod' || isTestTool(file, name)
    return workspaceOf(file) === 'contract' && !isAllowed && 'contract imports only zod'
  },
  function sdkHasNoRuntimeDependency(file, { name, isTypeOnly }) {
    const isAllowed =
      name === undefined || isTestTool(file, name) || (name === '@carillon/contract' && isTypeOnly)
    return workspaceOf(file) === 'sdk' && !isAllowed && 'sdk imports nothing but types of @carillon/contract'
  },
  function nobodyImportsServer(file, { name }) {
    return (
      name === '@carillon/server' && workspaceOf(file) !== 'bench' && 'only bench imports @carillon/server'
    )
  },
  function onlyTheCommandLineUsesSdk(file, { name }) {
    const isOutside = workspaceOf(file) === 'server' && !file.path.startsWith('server/src/cli/')
    return name === '@carillon/sdk' && isOutside && 'within server only cli/ imports @carillon/sdk'
  },
  function workspacesMeetByName(file, { target }) {
    if (target === undefined || target.startsWith(`${workspaceOf(file)}/`)) return false
    if (workspaceOf(file) === 'bench' && target.startsWith('server/dist/')) return false
    if (workspaceOf(file) === 'e2e' && target.startsWith('server/test/')) return false
    return 'another workspace is imported by its package name'
  },
]

// These hold for the server's own files, not for tests, which may look behind any door.
const folderRules = [
  function pgOnlyInDb(file, { name }) {
    return name === 'pg' && folderOf(file.path) !== 'db' && 'pg is imported only in db/'
  },
  function environmentOnlyInConfig(file, { specifier }) {
    return specifier === 'node:process' && folderOf(file.path) !== 'config' && 'node:process is for config/'
  },
  function foundationsKnowNoSlice(file, { target }) {
    const [from, to] = [folderOf(file.path), folderOf(target)]
    return ['queue', 'providers', 'db'].includes(from) && slices.has(to) && `${from}/ imports no slice`
  },
  function providersKnowNoDatabase(file, { target }) {
    const isBroken = folderOf(file.path) === 'providers' && folderOf(target) === 'db'
    return isBroken && 'providers/ imports nothing from db/'
  },
  function queriesArePrivate(file, { target }) {
    const isBroken = /[/-]queries\.ts$/.test(target ?? '') && dirname(target) !== dirname(file.path)
    return isBroken && 'queries.ts is imported only from its own folder'
  },
  function httpStaysAtTheEdge(file, { target }) {
    const isEdge =
      folderOf(file.path) === 'http' ||
      ['server/src/app.ts', 'server/src/api.ts'].includes(file.path) ||
      /[/-]routes\.ts$/.test(file.path)
    return (
      folderOf(target) === 'http' &&
      !isEdge &&
      'http/ is imported only by app.ts, api.ts, http/ and routes files'
    )
  },
  function appIsWiredOnce(file, { target }) {
    const isStarter = file.path === 'server/src/main.ts' || ['cli', 'generate'].includes(folderOf(file.path))
    return (
      target === 'server/src/app.ts' && !isStarter && 'app.ts is imported only by main.ts, cli/ and generate/'
    )
  },
]

/** Gives every violation below the root as { file, line, rule }. */
export function checkImports(root) {
  const files = scanWorkspaces(root)
  const own = files.filter(file => file.path.startsWith('server/src/') && !isTest(file))
  return [
    ...files.flatMap(file => applyRules(packageRules, file)),
    ...own.flatMap(file => applyRules(folderRules, file)),
    ...own.filter(file => folderOf(file.path) !== 'config').flatMap(findEnvironmentReads),
    ...findCycles(own),
  ]
}

function applyRules(rules, file) {
  return file.imports.flatMap(imported => {
    const named = { ...imported, name: packageName(imported.specifier) }
    const broken = rules.map(rule => rule(file, named)).filter(Boolean)
    return broken.map(rule => ({
      file: file.path,
      line: imported.line,
      rule: `${rule} (${imported.specifier})`,
    }))
  })
}

function findEnvironmentReads({ path, code }) {
  const reads = [...code.matchAll(/\bprocess\s*(?:\.\s*env\b|\[\s*['"]env['"])/g)]
  return reads.map(read => ({
    file: path,
    line: lineOf(code, read.index),
    rule: 'process.env is read only in config/',
  }))
}

/** Depth first; each cycle is told once, at the import that closes it. */
function findCycles(files) {
  const byPath = new Map(files.map(file => [file.path, file]))
  const finished = new Set()
  const violations = []
  const visit = (file, trail) => {
    for (const { target, line } of file.imports) {
      const next = byPath.get(target)
      if (!next || finished.has(target)) continue
      if (trail.includes(target)) {
        const cycle = [...trail.slice(trail.indexOf(target)), target].map(path =>
          path.replace('server/src/', ''),
        )
        violations.push({ file: file.path, line, rule: `no import cycles (${cycle.join(' → ')})` })
      } else visit(next, [...trail, target])
    }
    finished.add(file.path)
  }
  for (const file of files) if (!finished.has(file.path)) visit(file, [file.path])
  return violations
}

/** undefined for relative paths, `node` for what Node brings. */
function packageName(specifier) {
  if (specifier.startsWith('.')) return undefined
  if (specifier.startsWith('node:')) return 'node'
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function workspaceOf({ path }) {
  return path.slice(0, path.indexOf('/'))
}

/** The folder directly under server/src; undefined elsewhere and for files directly in it. */
function folderOf(path) {
  return /^server\/src\/([^/]+)\//.exec(path ?? '')?.[1]
}

function isTest({ path }) {
  return /\.(test|suite|fixture)\.ts$/.test(path) || /^[^/]+\/test\//.test(path)
}

function isTestTool(file, name) {
  return isTest(file) && testTools.has(name)
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const violations = checkImports(fileURLToPath(new URL('..', import.meta.url)))
  for (const { file, line, rule } of violations) console.log(`${file}:${line} ${rule}`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
