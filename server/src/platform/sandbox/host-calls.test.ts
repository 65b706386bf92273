import { expect, test } from 'vitest'
import { createHostCalls } from './host-calls.ts'
import type { Call } from './messages.ts'

function setUp() {
  const posted: Call[] = []
  const calls = createHostCalls(1, call => posted.push(call))
  const answer = (id: number) => calls.accept({ type: 'answer', run: 1, id, isOk: true, text: `${id}` })
  return { calls, posted, answer }
}

test('the host works on 16 calls at once; the others wait in order', async () => {
  const { calls, posted, answer } = setUp()
  for (let n = 1; n <= 20; n++) expect(calls.send('get', `[${n}]`)).toBe(n)
  expect(posted).toHaveLength(16)
  answer(7)
  answer(3)
  expect(posted.slice(16)).toMatchObject([{ argsJson: '[17]' }, { argsJson: '[18]' }])
  expect([await calls.next(), await calls.next()]).toMatchObject([{ text: '7' }, { text: '3' }])
})

test('there is something to wait for until every call was answered and the answer taken', async () => {
  const { calls, answer } = setUp()
  expect(calls.isWaiting()).toBe(false)
  calls.send('get', '[]')
  expect(calls.isWaiting()).toBe(true)
  const next = calls.next()
  answer(1)
  await next
  expect(calls.isWaiting()).toBe(false)
})

test.each<[string, (send: (name: string, json: string | undefined) => void) => void, string]>([
  [
    'too many',
    send => {
      for (;;) send('get', '[]')
    },
    'The script made more than 1,000 calls.',
  ],
  ['too long', send => send('get', 'é'.repeat(131_073)), 'The script called get with more than 256 KiB.'],
  [
    'so long that it was kept back',
    send => send('get', undefined),
    'The script called get with more than 256 KiB.',
  ],
  [
    'too much waiting',
    send => {
      for (;;) send('get', 'x'.repeat(100_000))
    },
    'The script made too many calls without awaiting their answers.',
  ],
])('calls end the run: %s', (_what, misbehave, message) => {
  const { calls } = setUp()
  expect(() => misbehave(calls.send)).toThrow(message)
  expect(() => calls.send('get', '[]')).toThrow(message)
  expect(calls.failure).toMatchObject({ failure: 'exception', message })
})
