import { expect, it } from 'vitest'
import { aMessage } from './message.fixture.ts'
import type { Outcome, Provider } from './provider.ts'
import { withoutHosts } from './without-hosts.ts'

const answering = (outcome: Outcome): Provider => ({
  name: 'smtp',
  send: async () => outcome,
  close: async () => {},
})
const URL_OF_OPERATOR = 'smtp://u:p@mail.corp.internal:587'

async function shown(message: string, url = URL_OF_OPERATOR): Promise<string> {
  const provider = withoutHosts(answering({ kind: 'retry', message }), url)
  const outcome = await provider.send(aMessage(), new AbortController().signal)
  return outcome.kind === 'sent' ? '' : outcome.message
}

it.each([
  ['connect ECONNREFUSED 10.0.0.5:587', 'connect ECONNREFUSED [host]'],
  ['connect ECONNREFUSED ::1:587', 'connect ECONNREFUSED [host]'],
  ['connect ETIMEDOUT 2001:db8:0:0:0:0:0:1:587', 'connect ETIMEDOUT [host]'],
  ['getaddrinfo ENOTFOUND mail.corp.internal', 'getaddrinfo ENOTFOUND [host]'],
  ['421 mx7.eu.corp.internal closing, [192.168.3.4]', '421 [host] closing, [[host]]'],
  [
    '550 5.1.1 <ada@corp.internal>: User unknown; 11:59:50, see https://example.com/5.1.1',
    '550 5.1.1 <ada@corp.internal>: User unknown; 11:59:50, see https://example.com/5.1.1',
  ],
])('tenants read %j as %j', async (raw, expected) => {
  expect(await shown(raw)).toBe(expected)
})

it('also when the operator uses an address, and in the answer to what was sent', async () => {
  expect(await shown('connect ECONNREFUSED 127.0.0.1:25', 'smtp://127.0.0.1:25')).toBe(
    'connect ECONNREFUSED [host]',
  )
  const sent: Outcome = { kind: 'sent', response: '250 queued at mx1.corp.internal' }
  const provider = withoutHosts(answering(sent), URL_OF_OPERATOR)
  expect(await provider.send(aMessage(), new AbortController().signal)).toMatchObject({
    response: '250 queued at [host]',
  })
})
