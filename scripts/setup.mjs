/** Makes a fresh clone ready: the right Node, the dependencies of the lock file, a current build. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { takeTurn } from './setup-turn.mjs'
import { runStep } from './step.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))

const cache = join(root, '.cache')
const builtFile = join(root, 'server/dist/main.js')

/** Afterwards everything in the repository can run. Explains itself and ends the process when it cannot. */
export async function ensureReady() {
  process.chdir(root)
  requireNode(20, 19)
  if (!isWritable(root)) return requireReadyAlready()
  const endTurn = await takeTurn(cache)
  const isReady = (isInstalled() || (await install())) && (await build())
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

/** A clone that an administrator installed for others is used as it is. */
function requireReadyAlready() {
  if (isInstalled() && existsSync(builtFile)) return
  giveUp(
    `${root} is not installed and built yet, and you may not write there.\n` +
      'Run "npm ci && npm run build" in it as its owner, or use a clone of your own.',
  )
}

/**
 * npm writes node_modules/.package-lock.json last, as its record of what it installed. Comparing that with the lock
 * file notices a missing folder, an interrupted install and a pulled change, and accepts an install made by hand.
 */
function isInstalled() {
  const record = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(record)) return false
  const installed = readPackages(record)
  const wanted = Object.entries(readPackages(join(root, 'package-lock.json')))
  return wanted.every(([path, { version, link, optional, devOptional, peer }]) => {
    if (link || !path.includes('node_modules/')) return true
    const present = installed[path]
    return present ? present.version === version : optional || devOptional || peer
  })
}

function install() {
  const [command, ...npm] = npmCommand()
  // A build needs the development tools, also where NODE_ENV=production would leave them out.
  const options = ['--no-audit', '--no-fund', '--include=dev', '--include=optional', ...cacheOption()]
  return runStep('Installing dependencies', command, [...npm, 'ci', ...options])
}

/** The npm that runs us, if one does: it need not be the first on the path. */
function npmCommand() {
  const running = process.env.npm_execpath
  return running && basename(running) === 'npm-cli.js' ? [process.execPath, running] : ['npm']
}

/** Container users often have no home folder to write to, and npm keeps its cache there. */
function cacheOption() {
  return isWritable(homedir()) ? [] : [`--cache=${join(cache, 'npm')}`]
}

/** Always asked: the compiler itself knows what changed, in well under a second when nothing did. */
function build() {
  return runStep('Building', tool('tsc'), ['-b'], { isQuiet: existsSync(builtFile) })
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages ?? {}
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
