/** Stores messages instead of sending them: for development, staging and previews. */

import type { Message } from '../../content/messages/message.ts'
import { handOver } from './hand-over.ts'
import type { Provider } from './provider.ts'

export interface CaptureOptions {
  save: (message: Message) => Promise<void>
}

export function createCaptureProvider({ save }: CaptureOptions): Provider {
  return {
    name: 'capture',
    send: (message, signal) => handOver(message, signal, save),
    close: async () => {},
  }
}
