/**
 * Follows the body of one mail on its way into the connection. Nodemailer can neither say how far a failed message
 * got nor cancel one; both are visible at the stream it reads the body from: its end tells that the server may have
 * the message, and destroying it before that ends the attempt without the closing dot, so nothing is delivered.
 */
import type { Readable } from 'node:stream'
import type { MailMessage } from 'nodemailer'

export interface MailBody {
  readonly signal: AbortSignal
  /** True from the moment the whole body was handed to the connection. */
  has_left: boolean
}

/** Travels as `body` in the data of the mail. */
export function trackMailBody(signal: AbortSignal): MailBody {
  return { signal, has_left: false }
}

/** Ties the body's stream to its tracker, after signing: a signer reads everything before the server gets a byte. */
export function watchMailBody(mail: MailMessage, sign: (body: Readable) => Readable): void {
  const { body } = mail.data as { body?: MailBody }
  mail.message.processFunc((unsigned: Readable) => {
    const outgoing = sign(unsigned)
    if (body) follow(outgoing, body)
    return outgoing
  })
}

function follow(outgoing: Readable, body: MailBody): void {
  const stop = () => outgoing.destroy(body.signal.reason)
  outgoing.once('end', () => {
    body.has_left = true
  })
  // Nodemailer does not listen to a stream whose connection is already gone, and an unheard error ends the process.
  outgoing.on('error', () => {})
  if (body.signal.aborted) stop()
  else body.signal.addEventListener('abort', stop, { once: true })
}
