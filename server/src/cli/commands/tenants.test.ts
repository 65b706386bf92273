import { expect, test } from 'vitest'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { uuid } from '../rows.fixture.ts'

const aTenant = (more: object = {}) => ({
  id: uuid(1),
  name: 'acme',
  quota: { requests_per_minute: null, routes_per_day: 1000, storage_mb: null },
  storage_bytes: null,
  suspended_at: null,
  suspension_reason: '',
  deletion: null,
  created_at: '2026-01-31T12:00:00Z',
  ...more,
})
const path = `/v1/tenants/${uuid(1)}`

test('tenants are listed with their state', async () => {
  const api = await startFakeApi({ 'GET /v1/tenants': () => ({ data: [aTenant()] }) })
  const { stdout, stderr } = await carillon(api.url, ['tenants'])
  expect(stderr).toBe('')
  expect(stdout).toBe(
    `id                                    name  state   created\n${uuid(1)}  acme  active  2026-01-31 12:00:00Z\n`,
  )
})

test.each([
  [
    'limit',
    ['--routes', '1000', '--storage', 'none'],
    `PATCH ${path}`,
    { quota: { routes_per_day: 1000, storage_mb: null } },
  ],
  ['suspend', ['--reason', 'unpaid'], `POST ${path}/suspend`, { reason: 'unpaid' }],
  ['resume', [], `POST ${path}/resume`, undefined],
  ['delete', ['--grace-days', '7'], `DELETE ${path}`, undefined],
])('tenants %s asks the API', async (name, options, call, input) => {
  const api = await startFakeApi({ [call]: () => aTenant() })
  const { code, stdout } = await carillon(api.url, ['tenants', name, uuid(1), ...options])
  expect([code, api.calls]).toEqual([0, [input === undefined ? [call] : [call, input]]])
  expect(stdout).toContain('routes per day  1000')
})

test('tenants show tells how far a deletion is', async () => {
  const deletion = {
    delete_at: '2026-01-31T12:00:00Z',
    started_at: '2026-01-31T12:00:00Z',
    rows: 500,
    rows_deleted: 200,
  }
  const api = await startFakeApi({
    [`GET ${path}`]: () => aTenant({ suspended_at: deletion.delete_at, deletion }),
  })
  const { stdout } = await carillon(api.url, ['tenants', 'show', uuid(1)])
  expect(stdout).toMatch(/state +being deleted\n/)
  expect(stdout).toMatch(/rows deleted +200 of 500\n/)
})

test('tenants limit without a quota is a wrong usage', async () => {
  const { code, stderr } = await carillon('', ['tenants', 'limit', uuid(1)])
  expect([code, stderr]).toEqual([2, expect.stringContaining('give --requests')])
})
