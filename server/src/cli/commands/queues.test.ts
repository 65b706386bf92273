import { expect, test } from 'vitest'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'

const send = ['queues', 'send', 'orders']

test.each([
  [2, '✓ sent to 2 triggers\n', ''],
  [1, '✓ sent to 1 trigger\n', ''],
  [0, '✓ sent to 0 triggers\n', 'No trigger listens to orders, so the message was not kept.\n'],
])('queues send, when %i listen', async (matched, stdout, stderr) => {
  const api = await startFakeApi({ 'POST /v1/queues/orders': () => ({ status: 202, body: { matched } }) })
  expect(await carillon(api.url, [...send, '{"order":7}'])).toEqual({ code: 0, stdout, stderr })
  expect(JSON.parse((await carillon(api.url, [...send, '1', '--json'])).stdout)).toEqual({ matched })
  expect(api.calls[0]).toEqual(['POST /v1/queues/orders', { message: { order: 7 } }])
})

test('queues send with an ordering key and a delay, and the message from stdin', async () => {
  const answer = { status: 202, body: { matched: 1 } }
  const api = await startFakeApi({ 'POST /v1/queues/orders': () => answer })
  await carillon(api.url, [...send, '-', '--ordering-key', 'k', '--delay', '60'], { stdin: '"text"' })
  expect(api.calls).toEqual([
    ['POST /v1/queues/orders', { message: 'text', ordering_key: 'k', delay_seconds: 60 }],
  ])
})

test.each([
  ['queues send orders', "missing required argument 'message'"],
  ['queues send orders {', 'the message is not JSON'],
  ['queues send orders 1 --delay soon', 'Expected a whole number of at least 1.'],
])('"carillon %s" is a misuse', async (args, reason) => {
  const outcome = await carillon('http://127.0.0.1:9', args.split(' '))
  expect(outcome.stderr).toContain(reason)
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
})
