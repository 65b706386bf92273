/**
 * Trivial scripts: how many per second, beside the same function called directly; what a thread and a run cost at their
 * start; and what a quiet owner notices of one whose scripts never end.
 */
import { type Child, startChild } from '../child.ts'
import { atMost, type Benchmark, type Context, compare, type Result } from '../result.ts'
import { formatRate, measureRounds, median, percentile, type Rates } from '../rounds.ts'
import type { Question, Start, Times } from './sandbox-process.ts'

const RUNS = 2000
const CALLS = 500_000
const VARIANTS = ['one thread', 'two threads', 'direct'] as const
type Variant = (typeof VARIANTS)[number]
const QUESTIONS: Record<Variant, [count: number, Question]> = {
  'one thread': [RUNS, { runs: RUNS, workers: 1 }],
  'two threads': [RUNS, { runs: RUNS, workers: 2 }],
  direct: [CALLS, { calls: CALLS }],
}
const STARTS = 10
const QUIET_RUNS = 200

export const benchmarkScripts: Benchmark = async context => {
  // One process for each kind, so that no measurement finds the memory of another.
  return [
    ...(await inProcess(child => measureRates(context, child))),
    ...(await inProcess(child => measureStart(context, child))),
    ...(await inProcess(child => measureMemory(context, child))),
    ...(await inProcess(child => measureFlood(context, child))),
  ]
}

type Ask = <Answer>(question: Question) => Promise<Answer>

async function inProcess(measure: (ask: Ask) => Promise<Result[]>): Promise<Result[]> {
  const child: Child = await startChild(new URL('./sandbox-process.js', import.meta.url), {})
  try {
    return await measure(question => child.ask(question))
  } finally {
    await child.stop()
  }
}

async function measureRates({ rounds, tell }: Context, ask: Ask): Promise<Result[]> {
  const perCpuSecond: Rates<Variant> = { 'one thread': [], 'two threads': [], direct: [] }
  tell(
    `${RUNS.toLocaleString('en')} scripts by one and two threads, ${CALLS.toLocaleString('en')} direct calls`,
  )
  const rates = await measureRounds({
    rounds,
    variants: VARIANTS,
    async measure(variant) {
      const [count, question] = QUESTIONS[variant]
      const { seconds, cpu_seconds } = await ask<Times>(question)
      perCpuSecond[variant].push(count / cpu_seconds)
      return count / seconds
    },
    tell,
  })
  const line = (what: string, measured: number[], anchor: number[]) =>
    compare({ name: 'scripts', what: `trivial scripts, ${what}`, measured, anchor, show: formatRate })
  return [
    line('one thread : the function called directly', rates['one thread'], rates.direct),
    line('two threads : the function called directly', rates['two threads'], rates.direct),
    line('two threads : one thread', rates['two threads'], rates['one thread']),
    line(
      'one thread : direct, per second of processor time',
      perCpuSecond['one thread'],
      perCpuSecond.direct,
    ),
  ]
}

async function measureStart({ tell }: Context, ask: Ask): Promise<Result[]> {
  await ask<Start>('start')
  const starts: Start[] = []
  for (let n = 0; n < STARTS; n++) starts.push(await ask<Start>('start'))
  const thread = median(starts.map(({ first, warm }) => first - warm))
  const run = median(starts.map(({ warm }) => warm))
  tell(`${STARTS} starts: a thread ${thread.toFixed(1)} ms, a run when it is warm ${run.toFixed(1)} ms`)
  return [
    atMost('scripts', 'start of a thread, with its first run', thread),
    atMost('scripts', 'a run by a warm thread', run),
  ]
}

async function measureMemory({ tell }: Context, ask: Ask): Promise<Result[]> {
  const mebibytes = await ask<number>('memory')
  tell(`${mebibytes.toFixed(1)} MiB for each thread`)
  return [
    {
      ...atMost('scripts', 'memory of a thread', 0),
      measured: `${mebibytes.toFixed(1)} MiB`,
      data: { mebibytes },
    },
  ]
}

async function measureFlood({ rounds, tell }: Context, ask: Ask): Promise<Result[]> {
  tell(`${QUIET_RUNS} runs of a quiet owner, alone and beside one with endless scripts`)
  const p99 = async (flooded: boolean) =>
    percentile(await ask<number[]>({ quietRuns: QUIET_RUNS, flooded }), 0.99)
  await p99(false)
  const measured: { alone: number; beside: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const values = { alone: await p99(false), beside: await p99(true) }
    measured.push(values)
    tell(
      `round ${round + 1}/${rounds}: p99 ${values.alone.toFixed(1)} ms alone, ${values.beside.toFixed(1)} ms beside`,
    )
  }
  const ratios = measured.map(({ alone, beside }) => beside / alone)
  return [
    {
      name: 'scripts',
      what: 'p99 of a quiet owner beside one with endless scripts : alone',
      measured: `${median(measured.map(({ beside }) => beside)).toFixed(1)} ms`,
      anchor: `${median(measured.map(({ alone }) => alone)).toFixed(1)} ms`,
      ratio: { median: median(ratios), best: Math.min(...ratios) },
      aim: '',
      isMet: undefined,
      data: measured,
    },
  ]
}
