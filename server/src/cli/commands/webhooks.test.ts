import { expect, test } from 'vitest'
import { page, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { uuid } from '../rows.fixture.ts'
import { aDelivery, aRecovery, aWebhook } from '../webhook-rows.fixture.ts'

const detail = (fields: object) => ({ ...aDelivery(), payload: '{}', attempts: [], ...fields })
const attempt = { attempt_no: 1, started_at: '2026-01-31T12:00:00Z', duration_ms: 12, response_body: '' }

test('webhooks shows every endpoint with its state', async () => {
  const rows = [
    aWebhook(),
    aWebhook({ id: uuid(6), is_paused: true, waiting: 7 }),
    aWebhook({ id: uuid(7), is_active: false, disabled_at: '2026-01-31T12:00:00Z', disabled_reason: 'gone' }),
    aWebhook({ id: uuid(8), is_active: false }),
  ]
  const api = await startFakeApi({ 'GET /v1/webhooks': () => page(rows) })
  const { stdout, code } = await carillon(api.url, ['webhooks'])
  expect(code).toBe(0)
  expect(
    stdout,
  ).toBe(`id                                    url                        events             waiting  state
0198c0de-0000-7000-8000-000000000005  https://example.com/hooks  notification.sent  0        active
0198c0de-0000-7000-8000-000000000006  https://example.com/hooks  notification.sent  7        paused
0198c0de-0000-7000-8000-000000000007  https://example.com/hooks  notification.sent  0        disabled: gone
0198c0de-0000-7000-8000-000000000008  https://example.com/hooks  notification.sent  0        off
`)
  expect(JSON.parse((await carillon(api.url, ['webhooks', '--json'])).stdout)).toEqual(rows)
  await carillon(api.url, ['webhooks', 'list', '--user', 'ada', '--state', 'active', '--limit', '5'])
  expect(api.calls.at(-1)).toEqual(['GET /v1/webhooks', { user_id: 'ada', state: 'active', limit: '5' }])
})

test('webhooks create shows the id and, once, the secret', async () => {
  const api = await startFakeApi({ 'POST /v1/webhooks': () => ({ ...aWebhook(), secret: 'whsec_abc' }) })
  const args =
    'webhooks create https://example.com/hooks --event notification.sent notification.read --type welcome --payload thin --format cloudevents --ordering recipient'
  const { stdout, stderr } = await carillon(api.url, args.split(' '))
  expect(stdout).toBe(`${uuid(5)}\nwhsec_abc\n`)
  expect(stderr).toContain('will not be shown again')
  expect(api.calls).toEqual([
    [
      'POST /v1/webhooks',
      {
        url: 'https://example.com/hooks',
        events: ['notification.sent', 'notification.read'],
        notification_types: ['welcome'],
        payload_mode: 'thin',
        format: 'cloudevents',
        ordering: 'recipient',
      },
    ],
  ])
  expect((await carillon(api.url, ['webhooks', 'create', 'https://example.com'])).code).toBe(2)
})

test('webhooks test says what came back, and exits with 1 when it was not delivered', async () => {
  const call = `POST /v1/webhooks/${uuid(5)}/test`
  const good = await startFakeApi({
    [call]: () => detail({ attempts: [{ ...attempt, status: 200, error: '' }] }),
  })
  const ok = await carillon(good.url, ['webhooks', 'test', uuid(5), '--event', 'notification.read'])
  expect(ok).toMatchObject({ code: 0, stdout: '✓ delivered in 12 ms: 200\n' })
  expect(good.calls).toEqual([[call, { event_type: 'notification.read' }]])

  const failed = {
    delivered: false,
    status: 'failed',
    attempts: [{ ...attempt, status: 500, error: 'The receiver answered 500.' }],
  }
  const bad = await startFakeApi({ [call]: () => detail(failed) })
  const no = await carillon(bad.url, ['webhooks', 'test', uuid(5)])
  expect(no).toMatchObject({ code: 1, stdout: '✗ failed in 12 ms: The receiver answered 500.\n' })
})

test('webhooks deliveries and redeliver', async () => {
  const failed = aDelivery({
    id: uuid(9),
    status: 'retrying',
    delivered: false,
    response_status: null,
    attempt_count: 2,
    next_retry_at: '2026-01-31T12:05:00Z',
  })
  const api = await startFakeApi({
    [`GET /v1/webhooks/${uuid(5)}/deliveries`]: () => page([failed, aDelivery()]),
    [`POST /v1/webhooks/${uuid(5)}/deliveries/${uuid(6)}/redeliver`]: () => ({
      id: uuid(4),
      redelivery_of: uuid(6),
    }),
  })
  const { stdout } = await carillon(api.url, [
    'webhooks',
    'deliveries',
    uuid(5),
    '--status',
    'retrying',
    '--limit',
    '2',
  ])
  expect(
    stdout,
  ).toBe(`id                                    created               event              status     answer  tries  next try
0198c0de-0000-7000-8000-000000000009  2026-01-31 12:00:00Z  notification.sent  retrying   none    2      2026-01-31 12:05:00Z
0198c0de-0000-7000-8000-000000000006  2026-01-31 12:00:00Z  notification.sent  delivered  200     1
`)
  expect(api.calls[0]).toEqual([`GET /v1/webhooks/${uuid(5)}/deliveries`, { status: 'retrying', limit: '2' }])
  const again = await carillon(api.url, ['webhooks', 'redeliver', uuid(5), uuid(6)])
  expect(again.stdout).toBe(`✓ ${uuid(6)} will be sent again as ${uuid(4)}\n`)
})

test('webhooks recover follows the recovery to its end', async () => {
  const path = `/v1/webhooks/${uuid(5)}/recoveries`
  const api = await startFakeApi({
    [`POST ${path}`]: () => aRecovery(),
    [`GET ${path}/${uuid(8)}`]: ({ callNo }) =>
      aRecovery(
        callNo < 2
          ? { redelivered: 2 }
          : { redelivered: 3, delivered: 2, failed: 1, finished_at: '2026-01-31T12:00:30Z' },
      ),
  })
  const { stdout, code } = await carillon(api.url, [
    'webhooks',
    'recover',
    uuid(5),
    '--since',
    '2026-01-01T00:00:00Z',
    '--rate',
    '60',
  ])
  expect([code, stdout]).toEqual([0, '✓ 3 of 3 sent again: 2 arrived, 1 failed so far\n'])
  expect(api.calls[0]).toEqual([`POST ${path}`, { since: '2026-01-01T00:00:00Z', rate_limit: 60 }])
  expect(api.calls).toHaveLength(3)
})
