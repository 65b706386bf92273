/** The events that can be chosen. Typed against the contract, so that a new one cannot be forgotten here. */
import type { WebhookEventType } from '@carillon/contract'
import type { CheckGroup } from '../../ui/check-list.tsx'

const MEANINGS: Record<WebhookEventType, string> = {
  'notification.accepted': 'An intent was accepted; its messages follow.',
  'notification.sent': 'A provider took the message.',
  'notification.delivered': 'A provider reported that the message arrived.',
  'notification.failed': 'A message will not arrive: given up, too late or bounced.',
  'notification.skipped': 'A message was left out on purpose; the reason says why.',
  'notification.cancelled': 'A message, or all of a notification, was cancelled.',
  'notification.dead_lettered': 'A message waits for an operator. Comes in addition to failed.',
  'notification.read': 'A person read it in the inbox.',
  'system_event.raised': 'Something happened that operators should know about.',
  'system_event.resolved': 'A system event is over, or somebody took care of it.',
  'event.emitted': 'Something happened in your application: an event was written to the log.',
}

export const EVENT_NAMES = Object.keys(MEANINGS) as WebhookEventType[]

const group = (title: string, prefix: string): CheckGroup<WebhookEventType> => ({
  title,
  items: EVENT_NAMES.filter(name => name.startsWith(prefix)).map(name => ({
    value: name,
    label: name,
    help: MEANINGS[name],
  })),
})

export const EVENT_GROUPS = [
  group('Notifications', 'notification.'),
  group('System events', 'system_event.'),
  group('Your application', 'event.'),
]
