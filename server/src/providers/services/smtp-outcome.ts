/** What an SMTP failure means for the message. Reply codes: RFC 5321 4.2, RFC 4954 6. */
import type { NodemailerError } from 'nodemailer'
import { isTlsFailure } from '../../platform/outgoing/tls-failure.ts'
import type { Failure } from './recovery-hint.ts'

/** 530 authentication required, 534 and 538 mechanism refused, 535 credentials refused. */
const CREDENTIAL_REPLIES = new Set([530, 534, 535, 538])

/** Bad sequence of commands: the session is at fault, not the message, so a new connection may help. */
const BAD_SEQUENCE = 503

/** The server is shutting down: it may say so in reply to any command. */
const CLOSING = 421

/** Errors about this one message: its envelope, its size, its content. */
const MESSAGE_ERRORS = new Set(['EENVELOPE', 'EMESSAGE', 'EMAXRECIPIENTS'])

const SETUP_ERRORS = new Set(['EAUTH', 'ENOAUTH', 'EOAUTH2', 'ETLS', 'ECONFIG', 'ERR_ACCESS_DENIED'])

/**
 * Judges a failed attempt. The server's reply, if there is one, is certain and decides. Without one, the message may
 * have been accepted once its whole body was handed to the connection.
 */
export function smtpFailure(error: NodemailerError, hasBodyLeft: boolean): Failure {
  const message = error.message
  if (error.responseCode !== undefined) {
    if (isAboutRecipient(error.responseCode, error.command))
      return { kind: 'retry', message, about_recipient: true }
    return { kind: kindOfReply(error.responseCode, error.code), message }
  }
  if (hasBodyLeft) return { kind: 'uncertain', message: `${message} (after the whole message was sent)` }
  if (MESSAGE_ERRORS.has(error.code ?? '')) return { kind: 'permanent', message }
  if (needsOperator(error)) return { kind: 'config', message }
  return { kind: 'retry', message }
}

/** Greylisting, a full mailbox: other recipients may well be accepted. */
function isAboutRecipient(reply: number, command: string | undefined): boolean {
  return command === 'RCPT TO' && reply >= 400 && reply < 500 && reply !== CLOSING
}

function kindOfReply(reply: number, code: string | undefined): 'retry' | 'config' | 'permanent' {
  if (CREDENTIAL_REPLIES.has(reply)) return 'config'
  if (reply < 500 || reply === BAD_SEQUENCE) return 'retry'
  // A 5xx before MAIL FROM refuses us as a client, not this message: the next one would be refused too.
  return MESSAGE_ERRORS.has(code ?? '') ? 'permanent' : 'config'
}

/** Nodemailer calls a certificate problem ESOCKET; Node's own code is then in originalCode. */
function needsOperator(error: NodemailerError): boolean {
  if (isTlsFailure(error.code) || isTlsFailure(error.originalCode)) return true
  return SETUP_ERRORS.has(error.code ?? '') && !wasCutOff(error)
}

/** A connection lost during the STARTTLS handshake is reported as ETLS too, although TLS is not at fault. */
function wasCutOff(error: NodemailerError): boolean {
  return error.code === 'ETLS' && error.message.startsWith('Connection closed')
}
