/** The ids that mail programs put messages in order by. */
import { createHash } from 'node:crypto'
import type { ThreadRef } from '@carillon/contract'

/** Stable across retries, crashes and replays, and valid before the @ of a Message-ID. */
export function messageId(notificationId: string, routeId: string): string {
  return `${notificationId}.${sha256(routeId).slice(0, 16)}`
}

/**
 * Of a message that never existed, and that every mail about the thread answers: so mail programs show them together,
 * whichever of them a person got. The same for all senders, as a tenant may have several.
 */
export function threadRootId(tenantId: string, { kind, id }: ThreadRef): string {
  return `<thread.${sha256(JSON.stringify([kind, id])).slice(0, 32)}@${tenantId}.carillon>`
}

/** RFC 2919: what mail programs sort by. It tells topics apart that differ only in what such an id cannot have. */
export function listId(tenantId: string, topic: string): string {
  const plain = topic
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  const label = plain === topic ? plain : [plain, sha256(topic).slice(0, 8)].filter(Boolean).join('-')
  const name = /^[ !#-[\]-~]+$/.test(topic) ? `"${topic}" ` : ''
  return `${name}<${label}.${tenantId}.carillon>`
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
