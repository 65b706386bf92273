/** Compiles everything, then bundles what browsers load. `npm run build` runs it, and so does everything that needs it. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { runStep } from './step.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tool = name => join(root, 'node_modules/.bin', name)

/** What goes into each bundle; the compiler itself knows what changed. */
const BUNDLES = {
  inbox: ['inbox/src', 'inbox/styles', 'inbox/vite.config.ts', 'sdk/dist'],
  dashboard: ['dashboard', 'inbox/styles', 'sdk/dist'],
}

/** Resolves to whether all of it succeeded. Quiet where there is a build already, which takes well under a second. */
export async function build({ isQuiet = false } = {}) {
  if (!(await runStep('Building', tool('tsc'), ['-b'], { isQuiet }))) return false
  for (const [name, sources] of Object.entries(BUNDLES)) {
    if (!(await bundle(name, sources, isQuiet))) return false
  }
  return true
}

async function bundle(name, sources, isQuiet) {
  const stamp = join(root, name, 'dist/.built')
  const wanted = stateOf([...sources, 'package-lock.json'])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true
  const isDone = await runStep(`Bundling the ${name}`, tool('vite'), ['build', name], { isQuiet })
  if (isDone) writeFileSync(stamp, wanted)
  return isDone
}

/** Changes with any of the files. */
function stateOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesIn)) {
    const { mtimeMs, size } = statSync(path)
    hash.update(`${path} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}

function filesIn(path) {
  const whole = join(root, path)
  if (!statSync(whole).isDirectory()) return [whole]
  return readdirSync(whole, { recursive: true })
    .filter(name => !/(^|\/)(dist|node_modules)(\/|$)/.test(name))
    .map(name => join(whole, name))
    .filter(name => statSync(name).isFile())
    .sort()
}

if (argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await build()) ? 0 : 1
