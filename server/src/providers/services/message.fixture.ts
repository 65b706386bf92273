/** A message for tests; every field may be replaced. */
import type { Message } from '../../content/messages/message.ts'

export function aMessage(replaced: Partial<Message> = {}): Message {
  return {
    tenant_id: '0197f2a0-0000-7000-8000-000000000001',
    notification_id: '0197f2a0-0000-7000-8000-000000000002',
    route_id: '0197f2a0-0000-7000-8000-000000000003',
    message_id: 'rec-2.route-3',
    channel: 'email',
    notification_type: 'invoice.paid',
    recipient_ref: 'user:ada',
    user_id: 'ada',
    address: 'ada@example.org',
    locale: 'de-CH',
    subject: 'Rechnung bezahlt – danke',
    text: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
    html: '<p>Grüezi Ada, Rechnung 7 ist bezahlt.</p>',
    devices: [],
    expires_at: null,
    unsubscribe_url: null,
    reply_to: null,
    reason: '',
    thread: null,
    topic: null,
    payload: { invoice: 7 },
    request_id: 'req-1',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ...replaced,
  }
}
