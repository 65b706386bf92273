import { expect, it } from 'vitest'
import type { Message } from '../../content/messages/message.ts'
import { describeProvider } from './conformance.suite.ts'
import { createInAppProvider } from './in-app.ts'
import { aMessage } from './message.fixture.ts'

describeProvider('in_app', {
  scenarios: ['fails_for_now'],
  message: { channel: 'in_app', address: '' },
  async start(scenario) {
    const delivered: Message[] = []
    return {
      provider: createInAppProvider({
        async deliver(message) {
          if (scenario === 'fails_for_now') throw new Error('the database is away')
          delivered.push(message)
        },
      }),
      receivedIds: () => delivered.map(message => message.message_id),
      wasContacted: () => delivered.length > 0,
      openConnections: () => 0,
      stop: async () => {},
    }
  },
})

it('a message without a user is refused for good', async () => {
  const provider = createInAppProvider({ deliver: () => Promise.reject(new Error('must not be called')) })
  const outcome = await provider.send(aMessage({ user_id: null }), new AbortController().signal)
  expect(outcome).toEqual({ kind: 'permanent', message: 'the in_app channel needs a user' })
})
