/** What operators wait for with a million records of three months: lists and their filters, a record's page, the overview. */
import { loadavg } from 'node:os'
import { performance } from 'node:perf_hooks'
import { startChild } from '../child.ts'
import { atMost, type Benchmark, type Result } from '../result.ts'
import { percentile } from '../rounds.ts'
import { prepareTenant } from '../tenant.ts'
import { addMonths } from './months-of-records.ts'
import { measurePaging } from './paging.ts'
import { type Question, questionsAbout, selectAnnouncement, selectSamples } from './questions.ts'

const RECORDS = 1_000_000
const OPEN_LETTERS = 20_000
const WARM_UP = 5
const REQUESTS = 40
/** Of what is slow, as many as tell that it is. */
const LEAST_REQUESTS = 10
const LONG_MS = 10_000
const AIM_MS = 200

export const benchmarkActivity: Benchmark = async context => {
  const { scratch, scale, tell } = context
  const database = await scratch.createDatabase('activity')
  const tenant = await prepareTenant(database)
  const records = Math.round(RECORDS * scale)
  tell(`adding ${records.toLocaleString('en')} records`)
  await addMonths(database.pool, tenant.id, { records, openLetters: Math.round(OPEN_LETTERS * scale) })
  await scratch.checkpoint()
  const samples = await selectSamples(database.pool, records, WARM_UP + REQUESTS)
  const questions = questionsAbout(samples, await selectAnnouncement(database.pool))
  const input = { databaseUrl: database.url, dataDir: scratch.folder }
  const server = await startChild(new URL('./api-process.js', import.meta.url), input)
  const { url } = await server.ask<{ url: string }>('address')
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${tenant.key}` } })
    if (answer.status !== 200)
      throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as { next_cursor: string | null }
  }
  try {
    const results: Result[] = []
    for (const question of questions) results.push(await measure(question, read, tell))
    return [...results, ...(await measurePaging(context, read))]
  } finally {
    await server.stop()
  }
}

/** One after the other: the time of each, not what the machine can do at most. */
async function measure(
  [what, pathOf]: Question,
  read: (path: string) => Promise<unknown>,
  tell: (line: string) => void,
): Promise<Result> {
  const times: number[] = []
  const isEnough = () =>
    times.length >= LEAST_REQUESTS && times.reduce((sum, time) => sum + time, 0) > LONG_MS
  for (let turn = 0; turn < WARM_UP + REQUESTS && !isEnough(); turn++) {
    const path = pathOf(turn)
    const start = performance.now()
    await read(path)
    if (turn >= WARM_UP) times.push(performance.now() - start)
  }
  const [p50, p95, max] = [percentile(times, 0.5), percentile(times, 0.95), Math.max(...times)]
  const load = loadavg()[0]!
  tell(
    `${what}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, max ${max.toFixed(1)} ms, load ${load.toFixed(1)}`,
  )
  return { ...atMost('activity', `${what}, p95`, p95, AIM_MS), data: { p50, p95, max, load } }
}
