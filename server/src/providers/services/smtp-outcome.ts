/** What an SMTP failure means for the message, and whose fault it is. Reply codes: RFC 5321 4.2, RFC 4954 6, RFC 3463. */
import type { NodemailerError } from 'nodemailer'
import { isOwnShortage } from '../../platform/outgoing/own-shortage.ts'
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

/** Some servers say only after RCPT or DATA that they do not take mail from this sender or client at all. */
const SENDER_REFUSED =
  /relay(ing)?( access)? (is )?(denied|prohibited|not (permitted|allowed))|(not (permitted|allowed)|unable) to relay|sender address rejected|(address|domain|identity|identities) (is|are|has|have)( been)? not( been)? verified|SendAsDenied|permissions? to send as/i

/** 5.1.1: there is no such mailbox; 5.1.2 and 5.1.10: nor such a domain. */
const NO_SUCH_MAILBOX = /\b5\.1\.(1|2|10)\b/

/**
 * Judges a failed attempt. The server's reply, if there is one, is certain and decides. Without one, the message may
 * have been accepted once its whole body was handed to the connection.
 */
export function smtpFailure(error: NodemailerError, hasBodyLeft: boolean): Failure {
  const message = error.message
  if (error.responseCode !== undefined) return judgeReply(error.responseCode, error)
  if (hasBodyLeft) return { kind: 'uncertain', message: `${message} (after the whole message was sent)` }
  if (MESSAGE_ERRORS.has(error.code ?? '')) return { kind: 'permanent', message }
  if (isOwnShortage(error.originalCode) || isOwnShortage(error.code))
    return { kind: 'retry', message, fault: 'process' }
  // The server's certificate is the same for every message.
  if (isCertificateProblem(error)) return { kind: 'config', message, fault: 'provider' }
  if (SETUP_ERRORS.has(error.code ?? '') && !wasCutOff(error)) return { kind: 'config', message }
  return { kind: 'retry', message }
}

function judgeReply(reply: number, error: NodemailerError): Failure {
  const { message, command, code } = error
  const text = error.response ?? message
  if (CREDENTIAL_REPLIES.has(reply)) return { kind: 'config', message }
  if (reply === CLOSING || reply === BAD_SEQUENCE) return { kind: 'retry', message }
  if (reply < 500) return judgeTemporaryReply(message, command, text)
  // A 5xx before MAIL FROM refuses us as a client, and one to MAIL FROM refuses the sender: the next message would fare
  // no better.
  if (!MESSAGE_ERRORS.has(code ?? '') || command === 'MAIL FROM' || SENDER_REFUSED.test(text))
    return { kind: 'config', message }
  if (command !== 'RCPT TO') return { kind: 'permanent', message }
  if (NO_SUCH_MAILBOX.test(text)) return { kind: 'permanent', message, suppress: 'hard_bounce' }
  return { kind: 'permanent', message, fault: 'recipient' }
}

/** Other messages may well be accepted, unless the server speaks of itself. */
function judgeTemporaryReply(message: string, command: string | undefined, text: string): Failure {
  // Greylisting, a full mailbox.
  if (command === 'RCPT TO') return { kind: 'retry', message, fault: 'recipient' }
  const [, subject] = /\b4\.([1-7])\.\d/.exec(text) ?? []
  if (/gr[ae]ylist/i.test(text)) return { kind: 'retry', message, fault: 'recipient' }
  if (subject === '1' && command === 'MAIL FROM') return { kind: 'config', message }
  if (command === 'DATA' && (subject === '2' || subject === '6' || subject === '7'))
    return { kind: 'retry', message, fault: 'message' }
  return { kind: 'retry', message }
}

/** Nodemailer calls a certificate problem ESOCKET; Node's own code is then in originalCode. */
function isCertificateProblem(error: NodemailerError): boolean {
  return isTlsFailure(error.code) || isTlsFailure(error.originalCode)
}

/** A connection lost during the STARTTLS handshake is reported as ETLS too, although TLS is not at fault. */
function wasCutOff(error: NodemailerError): boolean {
  return error.code === 'ETLS' && error.message.startsWith('Connection closed')
}
