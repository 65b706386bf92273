/** Pushes to this browser while no page is open: whether they are possible, and the way in and out. */
import type { InboxClient } from '@carillon/sdk/inbox'

/**
 * `unsupported`: this browser cannot, or the page is not secure. `unavailable`: the product sends none. `denied`: the person
 * said no, and only the browser's settings can change it.
 */
export type PushState = 'unsupported' | 'unavailable' | 'denied' | 'off' | 'on'

const SERVICE_WORKER = '/carillon-service-worker.js'

export function createPush(client: InboxClient, serviceWorker = SERVICE_WORKER) {
  const workers = globalThis.navigator?.serviceWorker
  const isSupported =
    workers !== undefined && typeof PushManager !== 'undefined' && typeof Notification !== 'undefined'

  /** Of our own worker: the page may have others. */
  async function subscription(): Promise<PushSubscription | null> {
    const registration = await workers.getRegistration(serviceWorker)
    const isOurs = registration?.active?.scriptURL === new URL(serviceWorker, location.href).href
    return isOurs ? registration!.pushManager.getSubscription() : null
  }

  async function pushState(): Promise<PushState> {
    if (!isSupported) return 'unsupported'
    if (Notification.permission === 'denied') return 'denied'
    if ((await subscription()) !== null && Notification.permission === 'granted') return 'on'
    const { web_push } = await client.settings()
    return web_push.public_key === null ? 'unavailable' : 'off'
  }

  async function enablePush(): Promise<PushState> {
    if (!isSupported) return 'unsupported'
    // First, while the click is fresh: browsers do not ask for a page that took its time.
    const permission = await Notification.requestPermission()
    if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off'
    const { user, web_push } = await client.settings()
    if (web_push.public_key === null) return 'unavailable'
    await workers.register(serviceWorker)
    const { pushManager } = await workers.ready
    const subscribed = await subscribe(pushManager, web_push.public_key)
    await client.registerDevice(user.id, deviceOf(subscribed))
    return 'on'
  }

  async function disablePush(): Promise<PushState> {
    if (!isSupported) return 'unsupported'
    const subscribed = await subscription()
    if (subscribed !== null) {
      const { user } = await client.settings()
      // Registering it again is how one learns which device it is.
      const { id } = await client.registerDevice(user.id, deviceOf(subscribed))
      await client.deleteDevice(user.id, id)
      await subscribed.unsubscribe()
    }
    return pushState()
  }

  return { pushState, enablePush, disablePush }
}

/** A subscription with an earlier key of the product is worth nothing any more. */
async function subscribe(manager: PushManager, publicKey: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  try {
    return await manager.subscribe(options)
  } catch (error) {
    const before = await manager.getSubscription()
    if (before === null) throw error
    await before.unsubscribe()
    return manager.subscribe(options)
  }
}

function deviceOf(subscription: PushSubscription) {
  const label = (navigator.userAgent.match(/(Firefox|Edg|OPR|Chrome|Safari)\//)?.[1] ?? 'Browser').slice(
    0,
    100,
  )
  return { kind: 'web_push' as const, token: { ...subscription.toJSON() }, label }
}
