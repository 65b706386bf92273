/** Stories of whole processes, pages and simulations that take too long for every test run. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../part.ts'
import { repository } from '../repository.ts'
import { runVitest } from '../vitest-run.ts'

const FOLDERS = ['e2e', 'server/src/operations/simulation']

export const stories: Part = {
  name: 'stories',
  proves:
    'stories of whole processes end as they should: readers, dispatchers and fan-outs killed in loops, a lost machine, ' +
    'an instance that is held, an upgrade under load, packages installed elsewhere, every page of the dashboard, ' +
    'simulations of hundreds of events',
  minutes: 8,
  rounds: 1,
  longestRoundMinutes: 20,
  pieces: filesOfProofs,
  async *run({ only, scratch }) {
    for await (const line of runVitest({
      args: ['--config=vitest.prove.config.ts', '--maxWorkers=1', ...(only === undefined ? FOLDERS : [only])],
      scratch,
    })) {
      // What broke outside of a test has no test of its own.
      if (line.kind !== 'test' && line.errors.length === 0) continue
      const file = line.kind === 'end' ? (only ?? '') : line.file
      const what = line.kind === 'test' ? `${file}: ${line.name}` : file
      const obstacle = line.kind === 'test' && line.state === 'skipped' && 'the test is skipped'
      yield {
        what,
        counts: {},
        violations: line.errors,
        again: `stories --only ${file}`,
        ...(obstacle && { obstacle }),
      }
    }
  },
}

function filesOfProofs(): string[] {
  return FOLDERS.flatMap(folder =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.prove.ts'))
      .map(path => `${folder}/${path}`)
      .sort(),
  )
}
