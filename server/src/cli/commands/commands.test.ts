/** Every command that uses HTTP: what it asks the API, and what it shows. */
import { expect, test } from 'vitest'
import { type Answers, page, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { anApiKey, anAuditLog, anOverview, aSystemEvent } from '../oversight-rows.fixture.ts'
import {
  aDeadLetter,
  aDeadLetterDetail,
  aDeadLetterGroup,
  aLoggedEmail,
  aRecord,
  aRecordDetail,
  aRoute,
} from '../record-rows.fixture.ts'
import { uuid } from '../rows.fixture.ts'

interface Case {
  args: string
  answers: Answers
  calls: [call: string, input?: unknown][]
  text: string[]
  json: unknown
}

const createdKey = { ...anApiKey(), key: 'ck_new' }

const CASES: Case[] = [
  {
    args: 'records',
    answers: { 'GET /v1/records': () => page([aRecord()]) },
    calls: [['GET /v1/records', { limit: '20' }]],
    text: [
      'id                                    accepted              type     audience  channels  producer',
      '0198c0de-0000-7000-8000-000000000001  2026-01-31 12:00:00Z  welcome  ada       email     shop',
    ],
    json: [aRecord()],
  },
  {
    args: 'records list --type welcome --producer shop --key k --after 2026-01-01T00:00:00Z --before 2026-02-01T00:00:00Z --limit 3',
    answers: { 'GET /v1/records': () => page([]) },
    calls: [
      [
        'GET /v1/records',
        {
          notification_type: 'welcome',
          producer: 'shop',
          idempotency_key: 'k',
          accepted_after: '2026-01-01T00:00:00Z',
          accepted_before: '2026-02-01T00:00:00Z',
          limit: '3',
        },
      ],
    ],
    text: [],
    json: [],
  },
  {
    args: `records cancel ${uuid(1)}`,
    answers: { [`POST /v1/records/${uuid(1)}/cancel`]: () => ({ cancelled: 2, in_flight: 1, finished: 0 }) },
    calls: [[`POST /v1/records/${uuid(1)}/cancel`]],
    text: ['✓ 2 cancelled, 1 being sent right now, 0 already finished'],
    json: { cancelled: 2, in_flight: 1, finished: 0 },
  },
  {
    args: 'dead-letters list --channel email --type welcome --reason permanent_failure --state all',
    answers: {
      'GET /v1/dead-letters': () =>
        page([
          aDeadLetter(),
          aDeadLetter({ id: uuid(9), resolved_at: '2026-01-31T13:00:00Z', resolution: 'ignored' }),
          aDeadLetter({ id: uuid(8), resolution: 'handler_failed' }),
        ]),
    },
    calls: [
      [
        'GET /v1/dead-letters',
        {
          channel: 'email',
          notification_type: 'welcome',
          failure_reason: 'permanent_failure',
          state: 'all',
          limit: '20',
        },
      ],
    ],
    text: [
      'id                                    died                  type     channel  recipient  reason                state',
      '0198c0de-0000-7000-8000-000000000002  2026-01-31 12:00:30Z  welcome  email    bob        max_retries_exceeded  open',
      '0198c0de-0000-7000-8000-000000000009  2026-01-31 12:00:30Z  welcome  email    bob        max_retries_exceeded  ignored',
      '0198c0de-0000-7000-8000-000000000008  2026-01-31 12:00:30Z  welcome  email    bob        max_retries_exceeded  handler_failed',
    ],
    json: [
      aDeadLetter(),
      aDeadLetter({ id: uuid(9), resolved_at: '2026-01-31T13:00:00Z', resolution: 'ignored' }),
      aDeadLetter({ id: uuid(8), resolution: 'handler_failed' }),
    ],
  },
  {
    args: 'dead-letters groups --channel email',
    answers: { 'GET /v1/dead-letters/groups': () => ({ data: [aDeadLetterGroup()] }) },
    calls: [['GET /v1/dead-letters/groups', { channel: 'email' }]],
    text: [
      'letters  newest                reason                channel  provider  template  newest error',
      '12       2026-01-31 12:00:30Z  max_retries_exceeded  email    smtp      welcome   451 try later',
    ],
    json: [aDeadLetterGroup()],
  },
  {
    args: `dead-letters show ${uuid(2)}`,
    answers: { [`GET /v1/dead-letters/${uuid(2)}`]: aDeadLetterDetail },
    calls: [[`GET /v1/dead-letters/${uuid(2)}`, {}]],
    text: [
      'id            0198c0de-0000-7000-8000-000000000002',
      'notification  0198c0de-0000-7000-8000-000000000001',
      'route         email:bob',
      'type          welcome',
      'channel       email',
      'recipient     bob',
      'died          2026-01-31 12:00:30Z',
      'reason        max_retries_exceeded after 5 of 5 attempts',
      'failure       retry: 451 try later',
      'hint          Replay it when the mail server works again.',
      'payload       {"title":"Hello"}',
      '',
      'attempt  started               took   outcome  provider  message',
      '1        2026-01-31 12:00:00Z  12 ms  retry    smtp      451 try later',
      '2        2026-01-31 12:00:10Z  31 ms  retry    smtp      451 try later',
    ],
    json: aDeadLetterDetail(),
  },
  {
    args: `dead-letters resolve ${uuid(2)} --as handled_by_script --by ada`,
    answers: {
      [`POST /v1/dead-letters/${uuid(2)}/resolve`]: () => aDeadLetter({ resolution: 'handled_by_script' }),
    },
    calls: [
      [`POST /v1/dead-letters/${uuid(2)}/resolve`, { resolution: 'handled_by_script', resolved_by: 'ada' }],
    ],
    text: [`✓ ${uuid(2)} handled_by_script`],
    json: aDeadLetter({ resolution: 'handled_by_script' }),
  },
  {
    args: 'keys',
    answers: {
      'GET /v1/api-keys': () =>
        page([anApiKey(), anApiKey({ id: uuid(4), is_active: false, scopes: null, last_used_at: null })]),
    },
    calls: [['GET /v1/api-keys', { limit: '20' }]],
    text: [
      'id                                    name  key       scopes        state    expires  last used',
      '0198c0de-0000-7000-8000-000000000003  ci    ck_…9f2a  records:read  active            2026-01-31 12:00:00Z',
      '0198c0de-0000-7000-8000-000000000004  ci    ck_…9f2a  none          revoked',
    ],
    json: [anApiKey(), anApiKey({ id: uuid(4), is_active: false, scopes: null, last_used_at: null })],
  },
  {
    args: 'keys create ci --scope records:read intents:write --expires 2027-01-01T00:00:00Z --user ada',
    answers: { 'POST /v1/api-keys': () => ({ ...createdKey }) },
    calls: [
      [
        'POST /v1/api-keys',
        {
          name: 'ci',
          scopes: ['records:read', 'intents:write'],
          expires_at: '2027-01-01T00:00:00Z',
          user_id: 'ada',
        },
      ],
    ],
    text: ['ck_new'],
    json: createdKey,
  },
  {
    args: 'keys create ci --role operator',
    answers: { 'POST /v1/api-keys': () => ({ ...createdKey }) },
    calls: [['POST /v1/api-keys', { name: 'ci', role: 'operator' }]],
    text: ['ck_new'],
    json: createdKey,
  },
  {
    args: `keys revoke ${uuid(3)}`,
    answers: { [`DELETE /v1/api-keys/${uuid(3)}`]: () => ({ status: 204 }) },
    calls: [[`DELETE /v1/api-keys/${uuid(3)}`]],
    text: [`✓ ${uuid(3)} revoked`],
    json: { id: uuid(3), revoked: true },
  },
  {
    args: 'system-events --severity high --type dead_letters',
    answers: { 'GET /v1/system-events': () => page([aSystemEvent()]) },
    calls: [
      ['GET /v1/system-events', { severity: 'high', event_type: 'dead_letters', state: 'open', limit: '20' }],
    ],
    text: [
      'id  created               severity  type          description                          resolved',
      '7   2026-01-31 12:00:00Z  high      dead_letters  Notifications wait as dead letters.',
    ],
    json: [aSystemEvent()],
  },
  {
    args: 'email-log ada',
    answers: { 'GET /v1/email-log': () => page([aLoggedEmail()]) },
    calls: [['GET /v1/email-log', { user_id: 'ada', limit: '20' }]],
    text: [
      'sent                  thread    notification                          message',
      `2026-01-31 12:00:00Z  issue 42  ${uuid(1)}  ${uuid(1)}.a1`,
    ],
    json: [aLoggedEmail()],
  },
  {
    args: 'system-events resolve 7 --by ada',
    answers: { 'POST /v1/system-events/7/resolve': () => aSystemEvent({ is_resolved: true }) },
    calls: [['POST /v1/system-events/7/resolve', { resolved_by: 'ada' }]],
    text: ['✓ 7 resolved: Notifications wait as dead letters.'],
    json: aSystemEvent({ is_resolved: true }),
  },
  {
    args: 'audit --user op --action update --resource user --id ada --after 2026-01-01T00:00:00Z --before 2026-02-01T00:00:00Z',
    answers: {
      'GET /v1/audit-logs': () =>
        page([
          anAuditLog(),
          anAuditLog({ user_id: null, api_key_id: null, action: 'create', old_values: null }),
        ]),
    },
    calls: [
      [
        'GET /v1/audit-logs',
        {
          user_id: 'op',
          action: 'update',
          resource_type: 'user',
          resource_id: 'ada',
          created_after: '2026-01-01T00:00:00Z',
          created_before: '2026-02-01T00:00:00Z',
          limit: '20',
        },
      ],
    ],
    text: [
      'when                  who       action  resource  id   changed         from',
      '2026-01-31 12:00:00Z  op        update  user      ada  email username  2001:db8::7',
      '2026-01-31 12:00:00Z  carillon  create  user      ada                  2001:db8::7',
    ],
    json: [anAuditLog(), anAuditLog({ user_id: null, api_key_id: null, action: 'create', old_values: null })],
  },
  {
    args: 'stats',
    answers: { 'GET /v1/metrics/overview': () => anOverview() },
    calls: [['GET /v1/metrics/overview', {}]],
    text: [
      'sent       1200  ██████████████████████████████',
      'failed        3  ▏',
      'pending      40  █',
      'cancelled    12  ▎',
      '',
      'sent by hour    ▁▂▂▂▂▃▃▃▃▄▄▄▅▅▅▆▆▆▆▇▇▇██',
      'failed by hour  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█▁▁▁',
      'stuck           2, the oldest since 2026-01-31 12:00:00Z',
      'dead letters    3 open, the oldest since 2026-01-31 12:00:01Z',
      '',
      'last hour  channel  total  sent  failed  average  share sent',
      'smtp       email    120    117   3       85 ms    █████████▊',
      'twilio     sms      4      0     0',
    ],
    json: anOverview(),
  },
]

test.each(CASES)('carillon $args', async ({ args, answers, calls, text, json }) => {
  const api = await startFakeApi(answers)
  const shown = await carillon(api.url, args.split(' '))
  expect(shown.stdout).toBe(text.map(line => `${line}\n`).join(''))
  expect(shown.code).toBe(0)
  expect(api.calls).toEqual(calls)

  const machine = await carillon(api.url, [...args.split(' '), '--json'])
  expect(JSON.parse(machine.stdout)).toEqual(json)
  expect(machine).toMatchObject({ code: 0, stderr: '' })
  expect(api.calls).toEqual([...calls, ...calls])
})

test('audit export writes what it receives, and nothing else', async () => {
  const lines = `${JSON.stringify(anAuditLog())}\n`
  const api = await startFakeApi({ 'GET /v1/audit-logs/export': () => ({ status: 200, body: anAuditLog() }) })
  const { code, stdout, stderr } = await carillon(api.url, [
    'audit',
    'export',
    '--action',
    'update',
    '--limit',
    '7',
  ])
  expect({ code, stdout: `${stdout}\n`, stderr }).toEqual({ code: 0, stdout: lines, stderr: '' })
  expect(api.calls).toEqual([
    ['GET /v1/audit-logs/export', { format: 'ndjson', action: 'update', limit: '7' }],
  ])
})

test('stats of a new instance says that no earlier hour was counted', async () => {
  const nothing = { sent: 0, failed: 0, pending: 0, skipped: 0, cancelled: 0, expired: 0 }
  const none = { count: 0, oldest_at: null }
  const quiet = anOverview({
    last_24_hours: nothing,
    hours: [],
    counted_at: null,
    stuck: none,
    open_dead_letters: none,
    providers: [],
  })
  const api = await startFakeApi({ 'GET /v1/metrics/overview': () => quiet })
  expect(await carillon(api.url, ['stats'])).toEqual({
    code: 0,
    stdout: 'sent       0\nfailed     0\npending    0\n\nstuck         nothing\ndead letters  none open\n',
    stderr: 'No hour before the current one has been counted yet; the maintenance role does that.\n',
  })
})

test('records show prints the record with its routes, and with --json only the record', async () => {
  const record = aRecordDetail({ template: 'summary' })
  const api = await startFakeApi({
    [`GET /v1/records/${uuid(1)}`]: () => record,
    [`GET /v1/records/${uuid(1)}/routes`]: () =>
      page([
        aRoute(),
        aRoute({
          status: 'dead',
          recipient_ref: 'bob',
          attempt_count: 5,
          last_error_message: '550 no such user',
        }),
      ]),
  })
  const { stdout } = await carillon(api.url, ['records', 'show', uuid(1)])
  expect(stdout).toBe(`id        ${uuid(1)}
type      welcome
producer  shop
audience  ada
channels  email
template  summary
accepted  2026-01-31 12:00:00Z
source    http
key       order-7
payload   {"title":"Hello"}

routes  1 sent, 1 dead
status  channel  recipient  tries  provider  next try  reason
✓ sent  email    ada        1/5    smtp
✗ dead  email    bob        5/5    smtp                550 no such user
`)
  const machine = await carillon(api.url, ['--json', 'records', 'show', uuid(1)])
  expect(JSON.parse(machine.stdout)).toEqual(record)
})

test('a list continues over pages up to the limit, and says when there is more', async () => {
  const api = await startFakeApi({
    'GET /v1/records': ({ callNo }) =>
      page(Array(callNo === 1 ? 100 : 30).fill(aRecord()), `after-${callNo}`),
  })
  const { stdout, stderr } = await carillon(api.url, ['records', '--limit', '130'])
  expect(stdout.trimEnd().split('\n')).toHaveLength(131)
  expect(stderr).toBe('These are the first 130; --limit shows more.\n')
  expect(api.calls).toEqual([
    ['GET /v1/records', { limit: '100' }],
    ['GET /v1/records', { limit: '30', cursor: 'after-1' }],
  ])
})

test('an empty list says so on stderr, so that a pipe gets nothing', async () => {
  const api = await startFakeApi({ 'GET /v1/dead-letters': () => page([]) })
  expect(await carillon(api.url, ['dead-letters'])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No dead letters.\n',
  })
})

test.each([
  [200, 'ready', 0, '✓ running\n✓ ready\n'],
  [503, 'database unreachable', 1, '✓ running\n✗ not ready: {"status":"database unreachable"}\n'],
])('health with readiness %i ends with the matching code', async (status, said, code, text) => {
  const api = await startFakeApi({
    'GET /healthz': () => ({ ok: true }),
    'GET /readyz': () => ({ status, body: { status: said } }),
  })
  expect(await carillon(api.url, ['health'])).toEqual({ code, stdout: text, stderr: '' })
  const machine = await carillon(api.url, ['health', '--json'])
  expect(machine.code).toBe(code)
  expect(JSON.parse(machine.stdout)).toEqual({
    live: true,
    live_report: { ok: true },
    ready: code === 0,
    ready_report: { status: said },
  })
})
