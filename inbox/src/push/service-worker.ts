/**
 * The service worker that shows pushes while no page is open. It is a classic script, so that a file on the product's own
 * origin can take it over with importScripts(): browsers accept a worker only from there.
 */
import { readPush } from './message.ts'

/** What is used of a worker's surroundings; the compiler knows only those of a page. */
interface Worker {
  registration: ServiceWorkerRegistration
  clients: { matchAll(options: object): Promise<OpenPage[]>; openWindow(url: string): Promise<unknown> }
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void
}
interface OpenPage {
  url: string
  focus(): Promise<OpenPage>
  navigate(url: string): Promise<unknown>
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void
}
interface PushEvent extends Extendable {
  data: { text(): string } | null
}
interface ClickEvent extends Extendable {
  notification: Notification
}

const worker = globalThis as unknown as Worker
const page = new URL('./', worker.registration.scope).href

worker.addEventListener('push', event => {
  const { title, options } = readPush(event.data?.text() ?? '', page)
  event.waitUntil(worker.registration.showNotification(title, options))
})

worker.addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.url ?? page))
})

/** A page that shows it already, else any page of the product, else a new one. */
async function open(url: string): Promise<unknown> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown = pages.find(each => each.url === url)
  if (shown !== undefined) return shown.focus()
  const [any] = pages
  if (any === undefined || new URL(url).origin !== new URL(page).origin) return worker.clients.openWindow(url)
  const focused = await any.focus()
  // A page that this worker does not control cannot be sent elsewhere.
  return focused.navigate(url).catch(() => worker.clients.openWindow(url))
}
