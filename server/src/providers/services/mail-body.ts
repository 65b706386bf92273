/**
 * Follows the body of a mail on its way into the connection. Nodemailer can neither say how far a failed message got
 * nor cancel one, but the stream from which it reads the body allows both: once it has ended, the server may have the
 * message; destroying it earlier ends the attempt without the closing dot, so that nothing is delivered.
 */
import type { Readable } from 'node:stream'
import type { MailMessage } from 'nodemailer'

export interface MailBody {
  readonly signal: AbortSignal
  /** True once the whole body was handed to the connection. */
  hasLeft: boolean
}

/** To be passed as `body` in the data of the mail. */
export function trackMailBody(signal: AbortSignal): MailBody {
  return { signal, hasLeft: false }
}

/** Follows the signed body, not the unsigned one: a signer reads all of that before the server gets a byte. */
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
    body.hasLeft = true
  })
  // Nodemailer does not listen to a stream whose connection is already gone, and an unhandled error ends the process.
  outgoing.on('error', () => {})
  if (body.signal.aborted) stop()
  else body.signal.addEventListener('abort', stop, { once: true })
}
