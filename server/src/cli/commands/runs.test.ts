import { describe, expect, it } from 'vitest'
import { anAbandonedExecution, aRun, aRunDetail } from '../automation-rows.fixture.ts'
import { page, problem, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { uuid } from '../rows.fixture.ts'

describe('runs', () => {
  it('list shows what scripts did, with every filter of the API', async () => {
    const failed = aRun({ id: uuid(9), status: 'failed', failure_kind: 'exception', error: 'no stock' })
    const api = await startFakeApi({ 'GET /v1/runs': () => page([aRun(), failed]) })
    const filters = `--script ${uuid(1)} --trigger ${uuid(2)} --event ${uuid(3)} --status failed --kind kv`
    const { stdout } = await carillon(api.url, ['runs', 'list', ...filters.split(' ')])
    expect(
      stdout,
    ).toBe(`id                                    ended                 script   for        took   outcome    error
0198c0de-0000-7000-8000-000000000070  2026-01-31 12:00:00Z  restock  kv update  12 ms  succeeded
0198c0de-0000-7000-8000-000000000009  2026-01-31 12:00:00Z  restock  kv update  12 ms  exception  no stock
`)
    const query = { script_id: uuid(1), trigger_id: uuid(2), event_id: uuid(3), status: 'failed', kind: 'kv' }
    expect(api.calls).toEqual([['GET /v1/runs', { ...query, limit: '20' }]])
  })

  it('show has the log, what was done and the result, and obeys nothing that is written in them', async () => {
    const api = await startFakeApi({ [`GET /v1/runs/${uuid(70)}`]: () => aRunDetail({ depth: 2 }) })
    const { stdout } = await carillon(api.url, ['runs', 'show', uuid(70)])
    expect(stdout).toBe(`id         0198c0de-0000-7000-8000-000000000070
script     restock, version 3
trigger    0198c0de-0000-7000-8000-000000000072
event      0198c0de-0000-7000-8000-000000000073
for        kv update
caused by  user:bob
depth      2
ran as     user:ada
attempt    1
outcome    succeeded
took       12 ms, 3 ms of processor time
ended      2026-01-31 12:00:00Z
result     {"ordered":5}

effect  of
notify  0198c0de-0000-7000-8000-000000000001 ordered
kv set  orders last

info   ordered [31m 5
`)
  })

  it('show of a run that did nothing has only its fields', async () => {
    const run = aRunDetail({ logs: [], effects: [], result_json: null, trigger_id: null, kind: 'invoke' })
    const api = await startFakeApi({ [`GET /v1/runs/${uuid(70)}`]: () => run })
    const { stdout } = await carillon(api.url, ['runs', 'show', uuid(70)])
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('ended      2026-01-31 12:00:00Z')
    const json = await carillon(api.url, ['--json', 'runs', 'show', uuid(70)])
    expect(JSON.parse(json.stdout)).toEqual(run)
  })

  it('abandoned lists results whose caller had left', async () => {
    const api = await startFakeApi({ 'GET /v1/abandoned-executions': () => page([anAbandonedExecution()]) })
    const { stdout } = await carillon(api.url, ['runs', 'abandoned'])
    expect(stdout).toBe(`execution                             ended                 status  result
0198c0de-0000-7000-8000-000000000073  2026-01-31 12:00:00Z  200     {"ordered":5}
`)
  })
})

describe('scripts invoke', () => {
  const path = `POST /v1/scripts/${uuid(1)}/invoke`

  it('shows the result, and where its run is', async () => {
    const answer = { execution_id: uuid(73), result: { ordered: 5 } }
    const api = await startFakeApi({ [path]: () => answer })
    const args = ['scripts', 'invoke', uuid(1), '--input', '{"n":5}']
    const { stdout, stderr } = await carillon(api.url, args)
    expect(stdout).toBe('{\n  "ordered": 5\n}\n')
    expect(stderr).toContain(`carillon runs --event ${uuid(73)}`)
    expect(api.calls).toEqual([[path, { input: { n: 5 }, mode: 'sync' }]])
    expect(JSON.parse((await carillon(api.url, ['--json', ...args])).stdout)).toEqual(answer)
  })

  it('obeys nothing that a result tells the terminal', async () => {
    const api = await startFakeApi({
      [path]: () => ({ execution_id: uuid(73), result: 'a\u009b31mb\u202e' }),
    })
    const { stdout } = await carillon(api.url, ['scripts', 'invoke', uuid(1)])
    expect(stdout).toBe('"a\\u009b31mb\\u202e"\n')
  })

  it('does not wait with --async', async () => {
    const answer = { execution_id: uuid(73), accepted_at: '2026-01-31T12:00:00.000Z' }
    const api = await startFakeApi({ [path]: () => answer })
    const { stdout } = await carillon(api.url, ['scripts', 'invoke', uuid(1), '--async'])
    expect(stdout).toBe(`${uuid(73)}\n`)
    expect(api.calls).toEqual([[path, { mode: 'async' }]])
  })

  it('says why there is no result', async () => {
    const api = await startFakeApi({ [path]: () => problem('script_failed', 'Error: no stock') })
    const { code, stderr } = await carillon(api.url, ['scripts', 'invoke', uuid(1)])
    expect(code).toBe(1)
    expect(stderr).toContain('no stock')
    expect(stderr).toContain(`Its log: carillon runs list --script ${uuid(1)} --kind invoke`)
  })
})
