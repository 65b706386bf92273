/** Where the page of a thing is. */
import type { SearchResult } from '@carillon/contract'

type Kind = SearchResult['kind']

export const KIND_NAMES: Record<Kind, string> = {
  user: 'Person',
  record: 'Notification',
  event: 'Event',
  dead_letter: 'Dead letter',
  notification_type: 'Type',
  template: 'Template',
  provider: 'Provider',
  webhook: 'Webhook',
  trigger: 'Trigger',
  script: 'Script',
  topic: 'Topic',
  thread: 'Thread',
}

const PATHS: Record<Exclude<Kind, 'topic' | 'thread'>, string> = {
  user: '/people',
  record: '/activity',
  event: '/events',
  dead_letter: '/dead-letters',
  notification_type: '/types',
  template: '/templates',
  provider: '/providers',
  webhook: '/webhooks',
  trigger: '/triggers',
  script: '/scripts',
}

export function addressOf(kind: Kind, id: string): string {
  // These two have no page of their own: what happened in them is what one looks for.
  if (kind === 'topic') return `/events?${new URLSearchParams({ topic: id })}`
  if (kind === 'thread') {
    const [thread_kind = '', ...rest] = id.split(':')
    return `/events?${new URLSearchParams({ thread_kind, thread_id: rest.join(':') })}`
  }
  // The id of a template is its name, channel and locale; in any other, a slash is part of the id.
  const parts = kind === 'template' ? id.split('/') : [id]
  return `${PATHS[kind]}/${parts.map(encodeURIComponent).join('/')}`
}
