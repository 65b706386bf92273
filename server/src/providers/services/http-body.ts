/** The JSON in which a message is sent to an HTTP provider. */
import type { Message, SendOptions } from '../../content/messages/message.ts'

/** APNs and FCM accept 4 KiB in total; a larger payload is left out, and the app can read it by notification_id. */
const MAX_PUSH_PAYLOAD_BYTES = 2048

/** Writes the body; throws when the payload cannot be written as JSON. */
export function writeHttpBody(message: Message): string {
  return JSON.stringify(message.channel === 'push' ? pushBody(message) : fullBody(message))
}

function fullBody(message: Message) {
  const { address, locale } = message
  return {
    ...commonBody(message),
    recipient: { ref: message.recipient_ref, user_id: message.user_id, address, locale },
    html: message.html,
    payload: message.payload,
    ...(message.options && { options: withEncodedFiles(message.options) }),
  }
}

function withEncodedFiles({ attachments, ...options }: SendOptions) {
  if (attachments === undefined) return options
  return {
    ...options,
    attachments: attachments.map(({ content, ...file }) => ({
      ...file,
      content: content.toString('base64'),
    })),
  }
}

/** Names the user and no device: only the push provider knows which devices the person has. */
function pushBody(message: Message) {
  return {
    ...commonBody(message),
    recipient: { ref: message.recipient_ref, user_id: message.user_id, locale: message.locale },
    payload: isSmall(message.payload) ? message.payload : null,
  }
}

function commonBody(message: Message) {
  return {
    message_id: message.message_id,
    notification_id: message.notification_id,
    route_id: message.route_id,
    channel: message.channel,
    template: message.notification_type,
    subject: message.subject,
    text: message.text,
    request_id: message.request_id,
  }
}

function isSmall(payload: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(payload) ?? '') <= MAX_PUSH_PAYLOAD_BYTES
}
