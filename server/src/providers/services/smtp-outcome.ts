/** What an SMTP failure means for the message. Reply codes: RFC 5321 4.2, RFC 4954 6. */
import type { NodemailerError } from 'nodemailer'
import { isOwnShortage } from '../../platform/outgoing/own-shortage.ts'
import { isTlsFailure } from '../../platform/outgoing/tls-failure.ts'
import type { Failure } from './recovery-hint.ts'

/** 530 authentication required, 534 and 538 mechanism refused, 535 credentials refused. */
const CREDENTIAL_REPLIES = new Set([530, 534, 535, 538])

/** Bad sequence of commands: the session went wrong, not the message, so a new connection may do. */
const BAD_SEQUENCE = 503

/** Errors about this one message: its envelope, its size, its content. */
const MESSAGE_ERRORS = new Set(['EENVELOPE', 'EMESSAGE', 'EMAXRECIPIENTS'])

const SETUP_ERRORS = new Set(['EAUTH', 'ENOAUTH', 'EOAUTH2', 'ETLS', 'ECONFIG', 'ERR_ACCESS_DENIED'])

/**
 * Judges a failed attempt. The server's reply, when there is one, is certain knowledge and comes first; without one
 * the message may have been accepted as soon as its whole body was handed to the connection.
 */
export function smtpFailure(error: NodemailerError, body_left: boolean): Failure {
  const message = error.message
  if (error.responseCode !== undefined) return { kind: kindOfReply(error.responseCode, error.code), message }
  if (body_left) return { kind: 'uncertain', message: `${message} (after the whole message was sent)` }
  if (MESSAGE_ERRORS.has(error.code ?? '')) return { kind: 'permanent', message }
  if (isOwnShortage(error.originalCode) || isOwnShortage(error.code))
    return { kind: 'retry', message, is_own: true }
  if (needsOperator(error)) return { kind: 'config', message }
  return { kind: 'retry', message }
}

function kindOfReply(reply: number, code: string | undefined): 'retry' | 'config' | 'permanent' {
  if (CREDENTIAL_REPLIES.has(reply)) return 'config'
  if (reply < 500 || reply === BAD_SEQUENCE) return 'retry'
  // A 5xx before MAIL FROM refuses us as a client, not this message: the next message would meet the same.
  return MESSAGE_ERRORS.has(code ?? '') ? 'permanent' : 'config'
}

/** Node's own code survives as originalCode when nodemailer calls a certificate problem ESOCKET. */
function needsOperator(error: NodemailerError): boolean {
  if (isTlsFailure(error.code) || isTlsFailure(error.originalCode)) return true
  return SETUP_ERRORS.has(error.code ?? '') && !wasCutOff(error)
}

/** A connection lost in the middle of the STARTTLS handshake is reported as ETLS too, without being one. */
function wasCutOff(error: NodemailerError): boolean {
  return error.code === 'ETLS' && error.message.startsWith('Connection closed')
}
