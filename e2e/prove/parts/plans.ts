/** The tests of plans, with as many rows as a busy instance has after some months. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Part, Round } from '../part.ts'
import { repository } from '../repository.ts'
import { runVitest } from '../vitest-run.ts'

const ROWS = 100_000

export const plans: Part = {
  name: 'plans',
  proves: `with ${ROWS.toLocaleString('en')} rows in every table, each statement that runs often uses its index and reads few pages`,
  minutes: 3,
  rounds: 1,
  longestRoundMinutes: 15,
  pieces: filesOfPlans,
  async *run({ only, scratch }) {
    const failed: string[] = []
    let passed = 0
    for await (const line of runVitest({
      args: [only ?? 'plans.test.ts'],
      env: { CARILLON_TEST_ROWS: String(ROWS) },
      scratch,
    })) {
      if (line.kind === 'test' && line.state === 'passed') passed++
      if (line.kind === 'test') failed.push(...line.errors.map(error => `${line.name}: ${error}`))
      if (line.kind === 'file') yield roundOf(line.file, passed, [...failed.splice(0), ...line.errors])
      if (line.kind === 'file') passed = 0
      if (line.kind === 'end' && line.errors.length > 0) yield roundOf(only ?? '', 0, line.errors)
    }
  },
}

function roundOf(file: string, statements: number, violations: string[]): Round {
  return { what: file, counts: { statements }, violations, again: `plans --only ${file}` }
}

function filesOfPlans(): string[] {
  return readdirSync(join(repository, 'server/src'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('plans.test.ts'))
    .map(path => `server/src/${path}`)
    .sort()
}
