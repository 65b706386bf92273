import { expect, test, vi } from 'vitest'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 90_000 })

const processes = useProcesses(() => ({}))
const { start, connect } = processes

let unique = 0
const saved = async (source: string, settings: { timeout_ms?: number } = {}) =>
  (await connect().scripts.create({ name: `script-${++unique}`, source, ...settings })).id

async function count(from: string): Promise<number> {
  const { rows } = await processes.database.pool.query(
    `select count(*)::integer as count from carillon.${from}`,
  )
  return rows[0].count
}

test('a caller that leaves early leaves no inbox, and the late result is one abandoned execution; one that waits gets the result of a script that another process runs', {
  tags: ['S003-14', 'S003-16'],
}, async () => {
  await start('api')
  const late = await saved('export default () => kv.set("late", "result", true)')
  const leave = new AbortController()
  const left = connect()
    .scripts.invoke(late, {}, { signal: leave.signal })
    .catch((error: Error) => error.name)
  await waitFor(async () => (await count('reply_inboxes')) === 1, { what: 'the caller to wait' })
  leave.abort()
  expect(await left).toBe('AbortError')
  await waitFor(async () => (await count('reply_inboxes')) === 0, { what: 'its inbox to be gone' })
  expect(await count('abandoned_executions')).toBe(0)

  await start('delivery,fanout,dispatch,maintenance')
  await waitFor(async () => (await count('abandoned_executions')) > 0, { what: 'the late result' })
  const { data } = await connect().abandonedExecutions.list()
  expect(data).toMatchObject([{ script_id: late, status_code: 200 }])
  const { data: lateRuns } = await connect().runs.list({ event_id: data[0]!.execution_id })
  expect(lateRuns).toMatchObject([{ status: 'succeeded' }])
  expect(await connect().kv.get('late', 'result')).toMatchObject({ value: true })

  const id = await saved('export default event => ({ doubled: event.data.n * 2 })')
  const { execution_id, result } = await connect().scripts.invoke(id, { input: { n: 21 } })
  expect(result).toEqual({ doubled: 42 })
  const { data: runs } = await connect().runs.list({ event_id: execution_id })
  expect(runs).toMatchObject([{ kind: 'invoke', status: 'succeeded' }])
  const failing = await saved('export default () => { throw new Error("not today") }')
  await expect(connect().scripts.invoke(failing)).rejects.toMatchObject({
    code: 'script_failed',
    status: 422,
  })
  expect(await count('reply_inboxes')).toBe(0)
  // Only that of the caller who left.
  expect(await count('abandoned_executions')).toBe(1)
})
