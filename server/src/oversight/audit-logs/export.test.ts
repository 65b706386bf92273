import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { statementsOf } from '../../../test/plans.ts'
import { exportAuditLogs } from './export.ts'

const carillon = useCarillon()
const get = (query: string) => carillon.request('GET', `/v1/audit-logs/export?${query}`)

beforeAll(async () => {
  await carillon.pool.query(
    `insert into audit_logs (id, tenant_id, action, resource_type, resource_id, user_agent, old_values, new_values, created_at)
     select uuid_v7(), $1, 'many', 'thing', n::text, 'a "quoted", agent', null, jsonb_build_object('n', n),
       now() - make_interval(secs => n / 10) from generate_series(1, 2500) n`,
    [carillon.tenantId],
  )
})

it('the NDJSON export has the rows of the list, one document per line', { tags: 'S002-26' }, async () => {
  const { status, headers, body } = await get('action=many')
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson'])
  const rows = body
    .trimEnd()
    .split('\n')
    .map((line: string) => JSON.parse(line))
  expect(rows).toHaveLength(2500)
  expect(rows).toEqual(await carillon.readAll('/v1/audit-logs?action=many'))
})

it('the CSV export has a heading, quotes what needs quotes, and keeps values as JSON', {
  tags: 'S002-26',
}, async () => {
  const { headers, body } = await get('format=csv&action=many&resource_id=7')
  expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
  expect(headers['content-disposition']).toBe('attachment; filename="audit-logs.csv"')
  const [heading, line, end] = body.split('\r\n')
  expect(heading).toBe(
    'id,created_at,user_id,api_key_id,action,resource_type,resource_id,ip_address,user_agent,request_id,old_values,new_values,account_id,account_email',
  )
  expect(line).toMatch(/^[0-9a-f-]{36},20[^,]+Z,,,many,thing,7,,"a ""quoted"", agent",,,"\{""n"":7\}",,$/)
  expect(end).toBe('')
})

it('the CSV export contains nothing that a spreadsheet would evaluate', async () => {
  await carillon.request('PUT', `/v1/users/${encodeURIComponent('=1+2')}`, { body: {} })
  expect((await get('format=csv&resource_type=user')).body).toContain(",user,'=1+2,")
})

it('an export is empty when nothing matches, and refuses an unknown format and a limit of 0', async () => {
  expect((await get('action=never')).body).toBe('')
  expect((await get('action=never&format=csv')).body.split('\r\n')).toHaveLength(2)
  expect((await get('format=xml')).body.code).toBe('invalid_request')
  expect((await get('limit=0')).body.code).toBe('invalid_request')
})

it.each([1, 999, 1000, 1001, 9999])(
  'an export with a limit of %i has the newest rows and no more',
  async limit => {
    const all = (await get('action=many')).body.trimEnd().split('\n')
    expect((await get(`action=many&limit=${limit}`)).body.trimEnd().split('\n')).toEqual(all.slice(0, limit))
  },
)

it('an export reads a page only when the previous one was consumed', { tags: 'S002-26' }, async () => {
  const asked: number[] = []
  const watched = {
    query: (text: string, values: unknown[]) => {
      asked.push(asked.length)
      return carillon.pool.query(text, values)
    },
  } as unknown as typeof carillon.pool
  const pieces = exportAuditLogs(watched, carillon.tenantId, { action: 'many', format: 'ndjson' })
  const lines = async () => (await pieces.next()).value?.split('\n').length - 1
  expect([await lines(), asked.length]).toEqual([1000, 1])
  expect([await lines(), asked.length]).toEqual([1000, 2])
  expect([await lines(), asked.length]).toEqual([500, 3])
  expect((await pieces.next()).done).toBe(true)
  expect(await statementsOf(db => exportAuditLogs(db, carillon.tenantId, { format: 'csv' }).next())).toEqual(
    [],
  )
})
