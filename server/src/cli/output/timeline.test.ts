import { Explanation } from '@carillon/contract'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { uuid } from '../rows.fixture.ts'
import { renderTimeline } from './timeline.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 31, 9, 30) + ms).toISOString()
const decided = (ms: number, decision: string, text: string) => ({ at: at(ms), decision, text })

const explanation = Explanation.parse({
  notification_id: uuid(1),
  summary: '3 routes: 1 sent, 1 dead, 1 skipped.',
  decisions: [
    decided(0, 'accepted', 'Accepted from shop by http as welcome, key "order-7".'),
    decided(0, 'audience', 'For 2 users (ada, bob), listed by the producer.'),
    decided(4, 'expanded', 'The audience became 3 routes.'),
  ],
  people: [
    {
      recipient_ref: 'ada',
      inbox: null,
      routes: [
        {
          route_id: 'email:ada',
          channel: 'email',
          status: 'sent',
          reason: '',
          summary: 'Sent through smtp after 2 attempts.',
          decisions: [
            decided(4, 'routed', 'To ada@example.com on email, locale en, at most 5 attempts.'),
            decided(12, 'retry', 'Attempt 1: retry through smtp in 8 ms: 451 greylisted.'),
            decided(10_400, 'sent', 'Attempt 2: sent through smtp in 31 ms.'),
          ],
        },
        {
          route_id: 'sms:ada',
          channel: 'sms',
          status: 'skipped',
          reason: 'no_address',
          summary: 'Skipped: no_address.',
          decisions: [decided(4, 'routed', 'Wanted on sms, but there is no address for it.')],
        },
      ],
    },
    {
      recipient_ref: 'bob',
      inbox: null,
      routes: [
        {
          route_id: 'email:bob',
          channel: 'email',
          status: 'dead',
          reason: '',
          summary: 'Given up after 1 attempt: 550 no such user',
          decisions: [
            decided(5, 'permanent', 'Attempt 1: permanent through smtp in 8 ms: 550 no such user.'),
            decided(7_500_000, 'dead_lettered', 'Given up: permanent failure.'),
          ],
        },
      ],
    },
  ],
  next_cursor: null,
})

const WIDE = `3 routes: 1 sent, 1 dead, 1 skipped.
0198c0de-0000-7000-8000-000000000001, accepted 2026-01-31 09:30:00Z
  +0 ms ✓ accepted  Accepted from shop by http as welcome, key "order-7".
  +0 ms · audience  For 2 users (ada, bob), listed by the producer.
  +4 ms ✓ expanded  The audience became 3 routes.

ada
  ✓ email sent  Sent through smtp after 2 attempts.
      +4 ms · routed  To ada@example.com on email, locale en, at most 5 attempts.
     +12 ms ↻ retry   Attempt 1: retry through smtp in 8 ms: 451 greylisted.
    +10.4 s ✓ sent    Attempt 2: sent through smtp in 31 ms.
  – sms skipped  Skipped: no_address.
    +4 ms · routed  Wanted on sms, but there is no address for it.

bob
  ✗ email dead  Given up after 1 attempt: 550 no such user
         +5 ms ✗ permanent      Attempt 1: permanent through smtp in 8 ms: 550 no such user.
    +2 h 5 min ✗ dead_lettered  Given up: permanent failure.`

test('decisions are shown in order, per person and channel, with times since acceptance', () => {
  expect(renderTimeline(explanation, pc.createColors(false), Number.POSITIVE_INFINITY)).toBe(WIDE)
})

test('long sentences are wrapped and aligned on a narrow terminal', () => {
  const text = renderTimeline(explanation, pc.createColors(false), 60)
  expect(text).toContain(`      +4 ms · routed  To ada@example.com on email, locale
                      en, at most 5 attempts.`)
  expect(text).toContain(`    +2 h 5 min ✗ dead_lettered  Given up: permanent failure.`)
})

test('marks carry the colours of what they mean', () => {
  const { bold, dim, green, red, yellow } = pc.createColors(true)
  const lines = renderTimeline(explanation, pc.createColors(true), Number.POSITIVE_INFINITY).split('\n')
  expect(lines).toContain(bold('ada'))
  expect(lines).toContain(`  ${green('✓ email sent')}  Sent through smtp after 2 attempts.`)
  expect(lines).toContain(`  ${dim('– sms skipped')}  Skipped: no_address.`)
  expect(lines).toContain(`  ${red('✗ email dead')}  Given up after 1 attempt: 550 no such user`)
  expect(lines).toContain(
    `    ${dim(' +12 ms')} ${yellow('↻ retry ')}  Attempt 1: retry through smtp in 8 ms: 451 greylisted.`,
  )
})

test('carillon explain shows the timeline, or with --json the explanation', async () => {
  const api = await startFakeApi({ [`GET /v1/records/${uuid(1)}/explain`]: () => explanation })
  expect(await carillon(api.url, ['explain', uuid(1)])).toEqual({ code: 0, stdout: `${WIDE}\n`, stderr: '' })
  const machine = await carillon(api.url, ['explain', uuid(1), '--user', 'ada', '--json'])
  expect(JSON.parse(machine.stdout)).toEqual(explanation)
  expect(api.calls).toEqual([
    [`GET /v1/records/${uuid(1)}/explain`, { limit: '20' }],
    [`GET /v1/records/${uuid(1)}/explain`, { user_id: 'ada', limit: '20' }],
  ])
})

test('a person whose routes fall on two pages appears once, and it says that there is more', async () => {
  const [ada, bob] = explanation.people
  const [email, sms] = ada!.routes
  const api = await startFakeApi({
    [`GET /v1/records/${uuid(1)}/explain`]: ({ callNo }) =>
      callNo === 1
        ? { ...explanation, people: [{ ...ada, routes: [email] }], next_cursor: 'p2' }
        : { ...explanation, people: [{ ...ada, routes: [sms] }, bob], next_cursor: 'p3' },
  })
  const { stdout, stderr } = await carillon(api.url, ['explain', uuid(1), '--limit', '3'])
  expect(stdout).toBe(`${WIDE}\n`)
  expect(stderr).toBe('There is more: --user shows one person, --limit shows more people.\n')
})
