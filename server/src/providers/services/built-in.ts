/** Providers that need no setup: the inbox, and capturing messages on channels without a provider. */
import type { Channel } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import { createCaptureProvider } from './capture.ts'
import { createInAppProvider } from './in-app.ts'
import type { Provider } from './provider.ts'

export interface BuiltInOptions {
  saveCaptured: (message: Message) => Promise<void>
  deliverInApp: (message: Message) => Promise<void>
}

export function createBuiltIns(options: BuiltInOptions): (channel: Channel) => Provider {
  const inApp = createInAppProvider({ deliver: options.deliverInApp })
  const capture = createCaptureProvider({ save: options.saveCaptured })
  return channel => (channel === 'in_app' ? inApp : capture)
}
