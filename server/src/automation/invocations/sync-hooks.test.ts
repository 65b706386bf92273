/** Http triggers whose caller waits for the script, with scripts that really run. */
import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, type RequestOptions, useCarillon } from '../../../test/carillon.ts'
import { useScripts } from '../../../test/running-scripts.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)

beforeEach(async () => {
  for (const table of ['outbox', 'runs', 'dead_letters', 'kv_entries', 'abandoned_executions'])
    await carillon.pool.query(`delete from ${table}`)
})

async function hookOf(source: string, settings: object = {}): Promise<string> {
  const script_id = await scripts.script(source, { ...settings })
  const body = { name: 'hook', kind: 'http', script_id, dispatch_mode: 'sync' }
  const { url } = (await carillon.request('POST', '/v1/triggers', { body })).body
  return new URL(url).pathname
}
const call = (path: string, options: RequestOptions = {}) =>
  carillon.request('POST', path, { key: null, ...options })

describe('a sync http trigger', () => {
  it('answers with what the script gives back, and runs as whoever registered it', {
    tags: 'S003-14',
  }, async () => {
    const path = await hookOf(
      `export default async event => {
         await kv.set('calls', 'last', event.data.json)
         return { status: 201, headers: { 'x-shop': 'one' }, body: 'thanks' }
       }`,
    )
    scripts.start()
    const answer = await call(path, { body: { order: 7 } })
    expect([answer.status, answer.body, answer.headers['x-shop']]).toEqual([201, 'thanks', 'one'])
    expect(await scripts.get('calls', 'last')).toEqual({ order: 7 })
    const [run] = await scripts.runs()
    expect(run).toMatchObject({ kind: 'http', op: 'request', status: 'succeeded', origin: 'ip:127.0.0.1' })
    expect(run.ran_as).toMatch(/^api_key:/)
  })

  it('may answer with more than other results have', async () => {
    const path = await hookOf('export default () => ({ status: 200, body: "x".repeat(200_000) })')
    scripts.start()
    expect((await call(path)).body).toHaveLength(200_000)
  })

  it('answers failures with their status, and without what only those who may read runs shall know', {
    tags: 'S003-15',
  }, async () => {
    const path = await hookOf('export default () => { throw new Error("the password is x") }')
    scripts.start()
    const problem = problemOf(await call(path))
    expect(problem).toMatchObject({ status: 422, code: 'script_failed' })
    expect(JSON.stringify(problem)).not.toContain('password')
    expect((await scripts.runs())[0].error).toContain('password')
    expect(await carillon.readAll('/v1/dead-letters?state=all')).toEqual([])
  })

  it('a result that comes when the caller has given up is an abandoned execution', {
    tags: 'S003-16',
  }, async () => {
    const path = await hookOf('export default () => "late"', { timeout_ms: 100 })
    expect(problemOf(await call(path))).toMatchObject({ status: 504, code: 'script_timeout' })
    await carillon.pool.query('update scripts set timeout_ms = 60000')
    scripts.start()
    await scripts.settled()
    expect(await carillon.readAll('/v1/abandoned-executions')).toMatchObject([
      { status_code: 200, summary: '"late"' },
    ])
  })
})
