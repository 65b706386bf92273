/** Holds the direction of dependencies: which package, and which folder of the server, may import which. */
import { dirname } from 'node:path/posix'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { isTest, lineOf, scanWorkspaces } from './import-scan.mjs'
import { ROOF, roomOf, WINGS, wingOf } from './wings.mjs'

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
  function everyFolderIsAWing(file) {
    const wing = wingOf(file.path)
    const isKnown = wing === undefined || WINGS.includes(wing) || ROOF.includes(wing)
    return !isKnown && `${wing}/ is not a wing; scripts/wings.mjs lists them`
  },
  function wingsImportDownwards(file, { target }) {
    const [from, to] = [WINGS.indexOf(wingOf(file.path)), WINGS.indexOf(wingOf(target))]
    if (from < 0 || !target?.startsWith('server/src/')) return false
    return (to < 0 || to > from) && `${wingOf(file.path)}/ imports only from the wings below it`
  },
  function pgOnlyInDatabase(file, { name }) {
    return (
      name === 'pg' &&
      roomOf(file.path) !== 'platform/database' &&
      'pg is imported only in platform/database/'
    )
  },
  function environmentOnlyInConfig(file, { specifier }) {
    return (
      specifier === 'node:process' &&
      roomOf(file.path) !== 'platform/config' &&
      'node:process is for platform/config/'
    )
  },
  function servicesKnowNoDatabase(file, { target }) {
    const isBroken = roomOf(file.path) === 'providers/services' && roomOf(target) === 'platform/database'
    return isBroken && 'providers/services/ imports nothing from platform/database/'
  },
  function queriesArePrivate(file, { target }) {
    const isBroken = /[/-]queries\.ts$/.test(target ?? '') && dirname(target) !== dirname(file.path)
    return isBroken && 'queries.ts is imported only from its own folder'
  },
  function httpStaysAtTheEdge(file, { target }) {
    const isEdge =
      roomOf(file.path) === 'platform/http' ||
      wingOf(file.path) === 'roles' ||
      ['server/src/app.ts', 'server/src/api.ts'].includes(file.path) ||
      /[/-]routes\.ts$/.test(file.path)
    return (
      roomOf(target) === 'platform/http' &&
      !isEdge &&
      'platform/http/ is imported only by app.ts, api.ts, roles/ and routes files'
    )
  },
  function appIsWiredOnce(file, { target }) {
    const isStarter = file.path === 'server/src/main.ts' || ['cli', 'generate'].includes(wingOf(file.path))
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
    ...own.filter(file => roomOf(file.path) !== 'platform/config').flatMap(findEnvironmentReads),
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
    rule: 'process.env is read only in platform/config/',
  }))
}

/** Between files, and between rooms: two rooms that need each other are one, or a third one is missing. */
function findCycles(files) {
  const rooms = new Map()
  for (const file of files) {
    const path = roomOf(file.path)
    if (path === undefined) continue
    const room = rooms.get(path) ?? { path, imports: [] }
    rooms.set(path, room)
    for (const imported of file.imports) {
      const target = roomOf(imported.target)
      if (target === undefined || target === path) continue
      room.imports.push({ ...imported, target, file: file.path })
    }
  }
  return [
    ...cyclesOf(files, 'no import cycles'),
    ...cyclesOf([...rooms.values()], 'no cycles between folders'),
  ]
}

/** Depth first; each cycle is told once, at the import that closes it. */
function cyclesOf(nodes, rule) {
  const byPath = new Map(nodes.map(node => [node.path, node]))
  const finished = new Set()
  const violations = []
  const visit = (node, trail) => {
    for (const { target, line, file = node.path } of node.imports) {
      const next = byPath.get(target)
      if (!next || finished.has(target)) continue
      if (trail.includes(target)) {
        const cycle = [...trail.slice(trail.indexOf(target)), target].map(path =>
          path.replace('server/src/', ''),
        )
        violations.push({ file, line, rule: `${rule} (${cycle.join(' → ')})` })
      } else visit(next, [...trail, target])
    }
    finished.add(node.path)
  }
  for (const node of nodes) if (!finished.has(node.path)) visit(node, [node.path])
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

function isTestTool(file, name) {
  return isTest(file) && testTools.has(name)
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const violations = checkImports(fileURLToPath(new URL('..', import.meta.url)))
  for (const { file, line, rule } of violations) console.log(`${file}:${line} ${rule}`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
