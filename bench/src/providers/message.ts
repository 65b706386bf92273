/** The message every provider sends: about what a shop would send, already rendered. */
import type { Message } from '../../../server/dist/content/messages/message.js'
import { PAYLOAD, TYPE } from '../tenant.ts'

export function orderMessage(replaced: Partial<Message>): Message {
  return {
    tenant_id: '0197f2a0-0000-7000-8000-000000000001',
    notification_id: '0197f2a0-0000-7000-8000-000000000002',
    route_id: '0197f2a0-0000-7000-8000-000000000003',
    message_id: 'rec-2.route-',
    channel: 'email',
    notification_type: TYPE,
    recipient_ref: 'user:ada',
    user_id: 'ada',
    address: 'ada@example.org',
    locale: 'en',
    subject: PAYLOAD.title,
    text: PAYLOAD.body,
    html: `<p>${PAYLOAD.body}</p>`,
    devices: [],
    expires_at: null,
    unsubscribe_url: null,
    reply_to: null,
    reason: '',
    thread: null,
    topic: null,
    payload: PAYLOAD,
    request_id: 'req-1',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ...replaced,
  }
}
