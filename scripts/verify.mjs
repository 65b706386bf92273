/** npm run verify: every check that needs no running system. All of them run, so that one call shows every problem. */
import { ensureReady, tool } from './setup.mjs'
import { runStep } from './step.mjs'

const node = process.execPath
const cruise = ['--output-type', 'err', '--config']
const checks = [
  ['Format and lint', tool('biome'), ['ci', '--colors=off', '.']],
  ['Types of the tests', tool('tsc'), ['-p', 'tsconfig.test.json', '--noEmit']],
  ['Types of the inbox', tool('tsc'), ['-p', 'inbox/tsconfig.test.json']],
  ['Types of its examples', tool('tsc'), ['-p', 'examples/inbox/tsconfig.json']],
  ['Types of the dashboard', tool('tsc'), ['-p', 'dashboard']],
  ['Sizes of what browsers load', tool('size-limit'), ['--hide-passed']],
  [
    'Import boundaries',
    tool('depcruise'),
    [...cruise, 'scripts/import-rules.mjs', 'contract', 'sdk', 'server/src', 'server/test', 'bench', 'e2e'],
  ],
  ['Circles between rooms', tool('depcruise'), [...cruise, 'scripts/room-rules.mjs', 'server/src']],
  ['Owners of tables', node, ['scripts/check-tables.mjs']],
  ['Requirements have tests', node, ['scripts/check-requirements.mjs']],
  ['Unused code and dependencies', tool('knip'), []],
  ['Generated files are current', node, ['scripts/generate.mjs', '--check']],
]

await ensureReady()
let failed = 0
for (const [title, command, args] of checks) {
  if (!(await runStep(title, command, args))) failed++
}
if (failed > 0) console.error(`${failed} of ${checks.length} checks failed`)
process.exitCode = failed > 0 ? 1 : 0
