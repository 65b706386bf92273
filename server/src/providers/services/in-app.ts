/** Puts messages into a person's inbox. */

import type { Message } from '../../content/messages/message.ts'
import { handOver } from './hand-over.ts'
import type { Provider } from './provider.ts'

export interface InAppOptions {
  /** May see the same message again after a crash, so it must tolerate a message_id it already has. */
  deliver: (message: Message) => Promise<void>
}

export function createInAppProvider({ deliver }: InAppOptions): Provider {
  return {
    name: 'in_app',
    async send(message, signal) {
      if (message.user_id === null) return { kind: 'permanent', message: 'the in_app channel needs a user' }
      return handOver(message, signal, deliver)
    },
    close: async () => {},
  }
}
