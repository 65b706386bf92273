/** Makes a clone ready to run: checks Node, installs the dependencies of the lock file, and builds. */
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { takeTurn } from './setup-turn.mjs'
import { runStep } from './step.mjs'
import { stopWithNpm } from './stop-with-npm.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const cache = join(root, '.cache')
const lockFile = join(root, 'package-lock.json')
const record = join(root, 'node_modules/.package-lock.json')
const stamp = join(root, 'node_modules/.carillon-install')
const builtFile = join(root, 'server/dist/main.js')

/** Afterwards everything in the repository can run. If that is not possible, says why and ends the process. */
export async function ensureReady() {
  process.chdir(root)
  requireNode(20, 19)
  stopWithNpm()
  if (!isWritable(root)) return requireReadyAlready()
  const endTurn = await takeTurn(cache)
  const isReady = (isInstalled() || (await install())) && (await build({ isQuiet: existsSync(builtFile) }))
  endTurn()
  if (!isReady) process.exit(1)
}

/** The path of a tool that npm installed. */
export function tool(name) {
  return join(root, 'node_modules/.bin', name)
}

function requireNode(major, minor) {
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number)
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return
  giveUp(
    `Carillon needs Node ${major}.${minor} or newer; this is ${process.version}.\n` +
      'Get it from https://nodejs.org or, with nvm: nvm install 20',
  )
}

/** A clone that an administrator installed for others cannot be changed and is used as it is. */
function requireReadyAlready() {
  if (isInstalled() && existsSync(builtFile)) return
  giveUp(
    `${root} is not installed and built yet, and you are not allowed to write to it.\n` +
      'Run "npm ci && npm run build" in it as its owner, or use a clone of your own.',
  )
}

/** Either we installed exactly this lock file, or somebody else did and npm's own record matches it. */
function isInstalled() {
  return existsSync(record) && (readOrEmpty(stamp) === lockFileHash() || recordAgreesWithLockFile())
}

/** npm writes its record last, so an interrupted install has none. */
function recordAgreesWithLockFile() {
  const installed = readPackages(record)
  return Object.entries(readPackages(lockFile)).every(([path, wanted]) => {
    if (wanted.link || !path.includes('node_modules/')) return true
    const isOptional = wanted.optional || wanted.devOptional || wanted.peer
    return installed[path] ? installed[path].version === wanted.version : isOptional
  })
}

/** Installs exactly the lock file. Remains of an interrupted install must go first: npm would take them for complete. */
async function install() {
  rmSync(join(root, 'node_modules'), { recursive: true, force: true })
  const [command, ...npm] = npmCommand()
  // A build needs the development tools, even where NODE_ENV=production would leave them out.
  const options = ['--no-audit', '--no-fund', '--include=dev', '--include=optional', ...cacheOption()]
  const isDone = await runStep('Installing dependencies', command, [...npm, 'ci', ...options])
  if (isDone) writeFileSync(stamp, lockFileHash())
  return isDone
}

/** Prefers the npm that runs us, which need not be the first on the path. */
function npmCommand() {
  const running = process.env.npm_execpath
  return running && basename(running) === 'npm-cli.js' ? [process.execPath, running] : ['npm']
}

/** npm keeps its cache in the home folder, but container users often have none they can write to. */
function cacheOption() {
  return isWritable(homedir()) ? [] : [`--cache=${join(cache, 'npm')}`]
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages ?? {}
}

function lockFileHash() {
  return createHash('sha256').update(readFileSync(lockFile)).digest('hex')
}

function readOrEmpty(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function giveUp(message) {
  console.error(message)
  process.exit(1)
}
