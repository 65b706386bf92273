/**
 * The whole product under load while something around it fails: the connection to its database, the database, the
 * process itself, a receiver. Every request and answer is recorded and compared with the database and with what the
 * receivers got: nothing acknowledged may be lost or stuck, nothing may arrive twice under different ids.
 */
import type { FaultKind } from './fault-rounds/kind.ts'
import { settle } from './fault-rounds/results.ts'
import { openStage, type Stage, type StageOptions } from './fault-rounds/stage.ts'
import { judge, type Verdict } from './fault-rounds/verdict.ts'

export interface FaultReport extends Verdict {
  kind: string
  injected: number
  intents: number
  /** Intents that had to be sent again. */
  sentAgain: number
  seconds: number
}

const PER_SECOND = 60

export async function runFaultRound(kind: FaultKind, options: StageOptions): Promise<FaultReport> {
  const startedAt = Date.now()
  const tell = (what: string) => options.log(`${kind.name}: ${what} after ${Date.now() - startedAt} ms`)
  const stage = await openStage(kind, options)
  try {
    await (kind.start ?? startOne)(stage)
    await stage.prepare()
    tell('ready')
    stage.producer.start(stage.planner.next, kind.perSecond ?? PER_SECOND)
    const injected = await kind.inject(stage)
    tell(`${injected} injected`)
    await stage.producer.stop()
    await sendAgain(stage)
    tell('everything answered')
    await settle(stage.resultsUrl)
    tell('settled')
    const verdict = await judge(stage)
    const { sendings } = stage.producer
    const wrong = [...verdict.wrong, ...((await kind.check?.(stage)) ?? [])]
    if (hasFailed({ ...verdict, wrong })) logOutput(stage)
    return {
      ...verdict,
      wrong,
      kind: kind.name,
      injected,
      intents: sendings.length,
      sentAgain: sendings.filter(({ unanswered }) => unanswered > 0).length,
      seconds: Math.round((Date.now() - startedAt) / 1000),
    }
  } catch (error) {
    logOutput(stage)
    throw error
  } finally {
    await stage.close()
  }
}

export function hasFailed({ lost, stuck, duplicated, wrong }: Omit<Verdict, 'repeats'>): boolean {
  return [lost, stuck, duplicated, wrong].some(problems => problems.length > 0)
}

async function startOne(stage: Stage): Promise<void> {
  await stage.run()
}

/** An acknowledged key must still be known: sending it again must return the first id. */
async function sendAgain({ producer }: Stage): Promise<void> {
  const every = Math.ceil(producer.sendings.length / 100)
  const some = producer.sendings.filter(({ refusal }, i) => i % every === 0 && refusal === undefined)
  await Promise.all(some.map(sending => producer.repeat(sending)))
}

function logOutput(stage: Stage): void {
  for (const { pid, stdout, stderr } of stage.processes)
    stage.log(`process ${pid}\n${stderr.slice(-4_000)}\n${stdout.slice(-8_000)}`)
}
