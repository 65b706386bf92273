// @ts-check
/// <reference types="@carillon/sdk/scripts" />
/**
 * A critical mail that could not be delivered becomes a text message.
 *
 * Trigger: dead_letter with source "route".
 */
const CRITICAL = ['account_locked', 'payment_failed']

/** @param {Carillon.DeadLetterEvent} event */
export default async function run({ data: { dead_letter: letter } }) {
  const [kind, id] = splitOnce(letter.recipient_ref)
  const isMeant = letter.channel === 'email' && kind === 'user' && CRITICAL.includes(letter.notification_type)
  if (!isMeant) return 'nothing to do'
  await notify({
    notification_type: letter.notification_type,
    audience: { kind: 'users', user_ids: [id] },
    channels: ['sms'],
    payload: letter.event ?? {},
  })
  await deadLetters.resolve(letter.id, 'handled_by_script')
  log('sent as a text message:', letter.failure_message)
}

/**
 * @param {string} reference such as user:ada
 * @returns {[kind: string, id: string]}
 */
function splitOnce(reference) {
  const at = reference.indexOf(':')
  return [reference.slice(0, at), reference.slice(at + 1)]
}
