/** Few people ever look at pushes, so what makes them is loaded when somebody does. */
import type { InboxClient } from '@carillon/sdk/inbox'
import type { PushState } from './push.ts'

export function pushLater(client: InboxClient, serviceWorker: string | undefined) {
  const push = async () => (await import('./push.ts')).createPush(client, serviceWorker)
  return {
    pushState: async (): Promise<PushState> => (await push()).pushState(),
    enablePush: async (): Promise<PushState> => (await push()).enablePush(),
    disablePush: async (): Promise<PushState> => (await push()).disablePush(),
  }
}
