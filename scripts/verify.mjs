/**
 * npm run verify: every check that needs no running system, side by side. All of them run, so that one call shows every
 * problem.
 */
import { availableParallelism } from 'node:os'
import { ensureReady, tool } from './setup.mjs'
import { runSideBySide } from './step.mjs'

const node = process.execPath
const cruise = ['--output-type', 'err', '--config']

/** The longest first, so that none of them is what everything waits for at the end. */
const checks = [
  ['Types of the tests', tool('tsc'), ['-p', 'tsconfig.test.json']],
  ['Format and lint', tool('biome'), ['ci', '--colors=off', '--error-on-warnings', '.']],
  ['Unused code and dependencies', tool('knip'), []],
  [
    'Import boundaries',
    tool('depcruise'),
    [...cruise, 'scripts/import-rules.mjs', 'contract', 'sdk', 'server/src', 'server/test', 'bench', 'e2e'],
  ],
  ['Generated files are current', node, ['scripts/generate.mjs', '--check']],
  ['Types of the dashboard', tool('tsc'), ['-p', 'dashboard']],
  ['Circles between rooms', tool('depcruise'), [...cruise, 'scripts/room-rules.mjs', 'server/src']],
  ['Types of the inbox', tool('tsc'), ['-p', 'inbox/tsconfig.test.json']],
  ['Sizes of what browsers load', tool('size-limit'), ['--hide-passed']],
  ['Types of its examples', tool('tsc'), ['-p', 'examples/inbox/tsconfig.json']],
  ['Owners of tables', node, ['scripts/check-tables.mjs']],
  ['Requirements have tests', node, ['scripts/check-requirements.mjs']],
]

await ensureReady()
const failed = await runSideBySide(checks, availableParallelism())
if (failed > 0) console.error(`${failed} of ${checks.length} checks failed`)
process.exitCode = failed > 0 ? 1 : 0
