import type { Message } from '../../content/messages/message.ts'
import { createCaptureProvider } from './capture.ts'
import { describeProvider } from './conformance.suite.ts'

describeProvider('capture', {
  scenarios: ['fails_for_now'],
  async start(scenario) {
    const saved: Message[] = []
    return {
      provider: createCaptureProvider({
        async save(message) {
          if (scenario === 'fails_for_now') throw new Error('the database is away')
          saved.push(message)
        },
      }),
      receivedIds: () => saved.map(message => message.message_id),
      wasContacted: () => saved.length > 0,
      openConnections: () => 0,
      stop: async () => {},
    }
  },
})
