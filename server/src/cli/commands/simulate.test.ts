import { expect, test } from 'vitest'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { aSimulatedRoute, aSimulation } from '../record-rows.fixture.ts'
import { uuid } from '../rows.fixture.ts'

const call = 'POST /v1/intents/simulate'
const postponed = {
  at: '2026-01-31T22:00:00.000Z',
  decision: 'postponed',
  text: 'In quiet hours until 08:00 in Europe/Berlin.',
}
const skipped = { at: '2026-01-31T12:00:00.000Z', decision: 'skipped', text: 'The person switched push off.' }

const SIMULATION = aSimulation({
  summary: 'Routes: 2 sent, 1 skipped (channel_disabled).',
  people: [
    {
      recipient_ref: 'user:ada',
      routes: [
        aSimulatedRoute(),
        aSimulatedRoute({
          channel: 'push',
          address: '',
          provider: '',
          status: 'skipped',
          reason: 'channel_disabled',
          decisions: [skipped],
          message: null,
        }),
      ],
    },
    {
      recipient_ref: 'user:bob',
      routes: [
        aSimulatedRoute({
          channel: 'sms',
          address: '+4912345',
          provider: 'twilio',
          at: '2026-02-01T07:00:00.000Z',
          decisions: [postponed, ...aSimulatedRoute().decisions],
          message: { subject: '', text: 'one\n\ntwo\nthree\nfour\nfive\nsix', html: null, options: null },
        }),
      ],
    },
  ],
})

test('simulate takes the same arguments as send, and shows who would get what, when, or why not', async () => {
  const api = await startFakeApi({ [call]: () => SIMULATION })
  const args =
    'simulate welcome --to ada bob --channel email sms --payload {"n":1} --key k7 --send-at 2026-01-31T09:00:00Z --expires-at 2026-02-02T09:00:00Z'
  const { code, stdout, stderr } = await carillon(api.url, args.split(' '))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(`Routes: 2 sent, 1 skipped (channel_disabled).

user:ada
  ✓ email  sent                        2026-01-31 12:00:00Z  ada@example.com by smtp
      Hello
      Welcome, Ada.
  – push   skipped (channel_disabled)  2026-01-31 12:00:00Z
      The person switched push off.

user:bob
  ✓ sms    sent                        2026-02-01 07:00:00Z  +4912345 by twilio
      In quiet hours until 08:00 in Europe/Berlin.
      one
      two
      three
      four
      … 2 more lines; --json shows all
`)
  expect(api.calls).toEqual([
    [
      call,
      {
        notification_type: 'welcome',
        audience: { kind: 'users', user_ids: ['ada', 'bob'] },
        channels: ['email', 'sms'],
        payload: { n: 1 },
        idempotency_key: 'k7',
        send_at: '2026-01-31T09:00:00Z',
        expires_at: '2026-02-02T09:00:00Z',
      },
    ],
  ])
})

test('simulate --json is the answer itself', async () => {
  const api = await startFakeApi({ [call]: () => SIMULATION })
  const { stdout } = await carillon(api.url, ['simulate', 'welcome', '--tenant-wide', '--json'])
  expect(JSON.parse(stdout)).toEqual(SIMULATION)
})

test('simulate says when the audience is larger than what is shown, and when it was already accepted', async () => {
  const large = await startFakeApi({ [call]: () => aSimulation({ is_complete: false }) })
  const shown = await carillon(large.url, ['simulate', 'welcome', '--tenant-wide'])
  expect(shown.stderr).toBe('The audience has more people than are shown.\n')

  const summary = `Nothing new: accepted before as ${uuid(1)}, with the same key and content.`
  const before = aSimulation({ duplicate_of: uuid(1), summary, people: [] })
  const repeated = await startFakeApi({ [call]: () => before })
  const { stdout } = await carillon(repeated.url, ['simulate', 'welcome', '--to', 'ada', '--key', 'k'])
  expect(stdout).toBe(`${summary}\n`)
})

test('simulate wraps long texts to the terminal, and removes their control characters', async () => {
  const text = `${'many words '.repeat(12)}\u001b[31mred`
  const route = aSimulatedRoute({ message: { subject: 'A\u0007B', text, html: null, options: null } })
  const api = await startFakeApi({
    [call]: () => aSimulation({ people: [{ recipient_ref: 'user:ada', routes: [route] }] }),
  })
  const { stdout } = await carillon(api.url, ['simulate', 'welcome', '--to', 'ada'], { columns: 60 })
  const lines = stdout.split('\n').filter(line => line.startsWith('      '))
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(60)
  expect(stdout).toContain('      A B\n')
  expect(stdout).not.toContain('\u001b')
})
