import type {
  AppliedRule,
  DomainEvent,
  EventCursor,
  EventExplanation,
  EventSimulation,
} from '@carillon/contract'
import { expect, test } from 'vitest'
import { page, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { uuid } from '../rows.fixture.ts'

const anEvent: DomainEvent = {
  ...{ event_id: uuid(1), id: 7, kind: 'issue_opened', producer: 'api', actor_id: 'ada', topic: 'shop' },
  thread: { kind: 'issue', id: '7', title: 'The cart is slow', url: null, author_id: null },
  ...{ source_kind: '', source_id: '', is_public: true, relations: { mention: ['bob', 'eve'] } },
  ...{ payload_json: '{"n":1}', idempotency_key: null, request_id: '' },
  ...{ occurred_at: '2026-01-31T12:00:00.000Z', created_at: '2026-01-31T12:00:00.000Z' },
}
const aCursor: EventCursor = {
  ...{ consumer: 'webhooks', last_event_id: 5, head_id: 7, lag: 2, tries: 0, next_attempt_at: null },
  ...{ last_error: '', moved_at: '2026-01-31T12:00:00.000Z' },
}

test('events emit sends what is given, and shows the id', async () => {
  const answer = { status: 202, body: { event_id: uuid(1), duplicate: false } }
  const api = await startFakeApi({ 'POST /v1/events': () => answer })
  const args = ['events', 'emit', 'issue_opened', '--actor', 'ada', '--topic', 'shop', '--thread', 'issue/7']
  args.push('--title', 'Cart', '--relation', 'mention=bob,eve', '--relation', 'assignee=cy')
  args.push('--payload', '{"n":1}', '--key', 'k')
  expect(await carillon(api.url, args)).toEqual({ code: 0, stdout: `${uuid(1)}\n`, stderr: '' })
  expect(api.calls).toEqual([
    [
      'POST /v1/events',
      {
        ...{ kind: 'issue_opened', actor_id: 'ada', topic: 'shop', idempotency_key: 'k', payload: { n: 1 } },
        thread: { kind: 'issue', id: '7', title: 'Cart' },
        relations: { mention: ['bob', 'eve'], assignee: ['cy'] },
      },
    ],
  ])
})

test('events emit says when there was nothing to add', async () => {
  const answer = { status: 200, body: { event_id: uuid(1), duplicate: true } }
  const api = await startFakeApi({ 'POST /v1/events': () => answer })
  const outcome = await carillon(api.url, ['events', 'emit', 'x', '--key', 'k'])
  expect(outcome).toMatchObject({ code: 0, stderr: 'It had been emitted before; nothing was added.\n' })
})

test('events lists what is asked for', async () => {
  const api = await startFakeApi({ 'GET /v1/events': () => page([anEvent]) })
  const args = 'events list --kind issue_opened --topic shop --thread issue/7 --actor ada'.split(' ')
  const outcome = await carillon(api.url, args)
  expect(outcome.stdout).toContain(uuid(1))
  expect(outcome.stdout).toContain('issue/7')
  expect(api.calls[0]).toEqual([
    'GET /v1/events',
    {
      ...{ kind: 'issue_opened', topic: 'shop', actor_id: 'ada', limit: '20' },
      ...{ thread_kind: 'issue', thread_id: '7' },
    },
  ])
})

test('events show has everything about one', async () => {
  const api = await startFakeApi({ [`GET /v1/events/${uuid(1)}`]: () => anEvent })
  const { stdout } = await carillon(api.url, ['events', 'show', uuid(1)])
  for (const text of ['issue/7 The cart is slow', 'mention: bob, eve', '{"n":1}'])
    expect(stdout).toContain(text)
})

test('events consumers and events reset', async () => {
  const api = await startFakeApi({
    'GET /v1/event-consumers': () => ({ data: [aCursor] }),
    'POST /v1/event-consumers/webhooks/reset': () => ({ ...aCursor, last_event_id: 0, lag: 7 }),
  })
  expect((await carillon(api.url, ['events', 'consumers'])).stdout).toMatch(/webhooks +5 +7 +2/)
  const reset = await carillon(api.url, ['events', 'reset', 'webhooks', '0'])
  expect(reset.stdout).toBe('✓ webhooks continues after 0; 7 to read\n')
  expect(api.calls[1]).toEqual(['POST /v1/event-consumers/webhooks/reset', { to_event_id: 0 }])
})

const aRule: AppliedRule = {
  ...{ event_kind: 'issue_opened', relation: 'mention', reason: 'mention', channels: ['in_app', 'email'] },
  ...{ passes_mute: true, notification_type: 'issue_opened', is_built_in: false },
}
const at = '2026-01-31T12:00:00.000Z'
const told = { user_id: 'bob', relations: ['mention'], relation: 'mention', reason: 'mention' }

test('events explain shows how far it is, the rules, and what each person got', async () => {
  const explanation: EventExplanation = {
    ...{ event_id: uuid(1), status: 'done', summary: 'People were told.', notification_ids: [uuid(2)] },
    decisions: [{ at, decision: 'accepted', text: 'Accepted from api.' }],
    rules: [aRule],
    people: [
      {
        ...{ ...told, outcome: 'told', text: 'Told for the reason "mention".', is_recorded: true },
        notification_ids: [uuid(2)],
        inbox: {
          ...{ id: uuid(3), is_latest: true, event_count: 1, is_read: false, done_at: null, saved_at: null },
          ...{ snoozed_until: null, is_hidden: false, text: 'In the inbox, unread.' },
        },
      },
    ],
    next_cursor: null,
  }
  const call = `GET /v1/events/${uuid(1)}/explain`
  const api = await startFakeApi({ [call]: () => explanation })
  const { stdout } = await carillon(api.url, ['events', 'explain', uuid(1), '--user', 'bob'])
  expect(stdout.split('\n')).toEqual([
    ...['People were told.', uuid(1), '  +0 ms ✓ accepted  Accepted from api.', ''],
    ...['Rules, in the order in which they decide', '  mention  in_app, email  (own, passes mutes)', ''],
    ...[
      '✓ bob',
      '  Told for the reason "mention".',
      '  In the inbox, unread.',
      `  notification ${uuid(2)}`,
      '',
    ],
  ])
  expect(api.calls).toEqual([[call, { user_id: 'bob', limit: '20' }]])
  const machine = await carillon(api.url, ['events', 'explain', uuid(1), '--json'])
  expect(JSON.parse(machine.stdout)).toEqual(explanation)
})

test('events simulate takes the same arguments as emit, and shows who would be told', async () => {
  const simulation: EventSimulation = {
    ...{ duplicate_of: null, summary: '2 people: 1 told, 1 actor.', rules: [aRule], is_complete: false },
    people: [
      {
        ...told,
        user_id: 'ada',
        outcome: 'actor',
        text: 'Not told: they did it.',
        inbox: 'none',
        routes: [],
      },
      { ...told, outcome: 'told', text: 'Told.', inbox: 'updated', routes: [] },
    ],
  }
  const api = await startFakeApi({ 'POST /v1/events/simulate': () => simulation })
  const args = 'events simulate issue_opened --actor ada --thread issue/7 --relation mention=bob'.split(' ')
  const { stdout, stderr } = await carillon(api.url, args)
  expect(stdout).toContain(
    '– ada\n  Not told: they did it.\n\n✓ bob\n  Told.\n  The row in the inbox is updated.\n',
  )
  expect(stderr).toContain('There are more people than are shown.')
  const thread = { kind: 'issue', id: '7' }
  const event = { kind: 'issue_opened', actor_id: 'ada', thread, relations: { mention: ['bob'] } }
  expect(api.calls).toEqual([['POST /v1/events/simulate', event]])
})

test.each([
  ['events emit', "missing required argument 'kind'"],
  ['events emit x --payload {', 'the payload is not JSON'],
  ['events emit x --thread seven', 'the thread "seven" is not of the form issue/7'],
  ['events emit x --relation ada', 'the relation "ada" is not of the form mention=ada,bob'],
  ['events emit x --title Cart', 'a title needs a thread'],
  ['events simulate x --thread seven', 'the thread "seven" is not of the form issue/7'],
  ['events reset nobody 1', 'Allowed choices are'],
  ['events reset webhooks first', 'Expected the number of an event.'],
])('"carillon %s" is a misuse', async (args, reason) => {
  const outcome = await carillon('http://127.0.0.1:9', args.split(' '))
  expect(outcome.stderr).toContain(reason)
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
})
