/** What needs no setting up: the inbox, and for channels without a provider, keeping what would have been sent. */
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
