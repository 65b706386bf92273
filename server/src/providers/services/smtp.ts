/** Sends mail over SMTP with a pool of connections. */
import { createTransport, type NodemailerError, type SendMailOptions } from 'nodemailer'
import addressparser from 'nodemailer/lib/addressparser'
import type { Message } from '../../content/messages/message.ts'
import { startDeadline } from '../../platform/outgoing/deadline.ts'
import { createRedactor, secretsInUrl } from '../../platform/outgoing/redact.ts'
import { createPlaces, type Place } from '../../platform/queue/places.ts'
import { createDkimSigner, type DkimOptions } from './dkim.ts'
import { mailOptions, threadHeaders, unsubscribeHeaders } from './email/mail-parts.ts'
import { trackMailBody, watchMailBody } from './mail-body.ts'
import type { Outcome, Provider } from './provider.ts'
import { smtpFailure } from './smtp-outcome.ts'

export interface SmtpOptions {
  /** smtp:// (STARTTLS when offered) or smtps://, with credentials; the query may have nodemailer's own options. */
  url: string
  /** An address, or a name with an address: `Acme <no-reply@acme.example>`. */
  from: string
  /** The right side of Message-ID; the domain of `from` unless set. */
  message_id_domain?: string
  dkim?: DkimOptions
  /** For one attempt, from the moment when it has a connection of the pool. */
  timeout_ms: number
  /** The maximum number of connections, and so of messages at the same time. */
  pool_size: number
}

/** Throws when the options are unusable; the error contains no credentials. */
export function createSmtpProvider(options: SmtpOptions): Provider {
  const url = parseSmtpUrl(options.url)
  const domain = options.message_id_domain ?? domainOf(options.from)
  const sign = createDkimSigner(options.dkim)
  const redact = createRedactor(secretsInUrl(url))
  const places = createPlaces(options.pool_size)
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: options.pool_size,
    // A message that was given a connection which the server had just closed gets one more try on a new one.
    maxRequeues: 1,
    connectionTimeout: options.timeout_ms,
    greetingTimeout: options.timeout_ms,
    socketTimeout: options.timeout_ms,
    dnsTimeout: options.timeout_ms,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transport.use('stream', (mail, done) => {
    watchMailBody(mail, sign)
    done()
  })

  async function attempt(message: Message, signal: AbortSignal, place: Place): Promise<Outcome> {
    if (signal.aborted) return { kind: 'retry', message: 'the attempt was aborted before it began' }
    const deadline = startDeadline(signal, options.timeout_ms)
    const body = trackMailBody(deadline.signal)
    try {
      const mail = { ...composeMail(message, options.from, domain), body }
      const sending = transport.sendMail(mail)
      // After a time-out the connection is still in use until the pool itself gives it up.
      place.keepUntil(sending)
      const info = await deadline.race(sending)
      // Without copies this is an error of its own; with them, somebody else may have been accepted.
      const refused = info.rejectedErrors?.find(({ recipient }) => recipient === message.address)
      if (refused !== undefined) throw refused
      return {
        kind: 'sent',
        provider_message_id: info.serverMessageId ?? info.messageId,
        response: redact(info.response),
      }
    } catch (error) {
      const failure = smtpFailure(error as NodemailerError, body.hasLeft)
      return { ...failure, message: redact(failure.message) }
    } finally {
      deadline.clear()
    }
  }

  return {
    name: 'smtp',
    takePlace: places.take,

    async send(message, signal, place) {
      if (place !== undefined) return attempt(message, signal, place)
      let own: Place | undefined
      try {
        own = await places.take(signal)
        return await attempt(message, signal, own)
      } catch (error) {
        return { kind: 'retry', message: (error as Error).message }
      } finally {
        own?.leave()
      }
    },

    async close() {
      places.close()
      // By force: otherwise a server that never answers would keep its connection, and the process, alive for a while.
      transport.close({ force: true })
    },
  }
}

function composeMail(message: Message, from: string, domain: string): SendMailOptions {
  const { replyTo, cc, bcc, files } = mailOptions(message)
  const { 'In-Reply-To': inReplyTo, References: references, ...threaded } = threadHeaders(message)
  return {
    from,
    // As an object, because a string would be parsed and could name further recipients.
    to: toAddress(message.address),
    ...(replyTo && { replyTo: toAddress(replyTo) }),
    ...(cc && { cc: cc.map(toAddress) }),
    ...(bcc && { bcc: bcc.map(toAddress) }),
    subject: message.subject,
    text: plainLines(message.text),
    html: message.html === null ? undefined : plainLines(message.html),
    messageId: `<${message.message_id}@${domain}>`,
    ...(inReplyTo && { inReplyTo }),
    ...(references && { references }),
    headers: {
      'X-Carillon-Type': message.notification_type,
      'X-Carillon-Notification': message.notification_id,
      // RFC 3834: keeps vacation responders from answering.
      'Auto-Submitted': 'auto-generated',
      ...(message.locale && { 'Content-Language': message.locale }),
      ...(message.traceparent && { traceparent: message.traceparent }),
      ...(message.request_id && { 'X-Request-Id': message.request_id }),
      ...unfolded({ ...threaded, ...unsubscribeHeaders(message) }),
    },
    ...(files.length > 0 && {
      attachments: files.map(({ filename, content_type, content }) => ({
        filename,
        contentType: content_type,
        content,
        contentDisposition: 'attachment' as const,
      })),
    }),
  }
}

/** On one line each, as long as they are: programs that look for a link often do not unfold headers. */
function unfolded(headers: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { prepared: true, foldLines: false, value }]),
  )
}

/** A lone CR becomes a line break on its way, but only after the signature was made: receivers would find it broken. */
const plainLines = (text: string) => text.replace(/\r\n?/g, '\n')

const toAddress = (address: string) => ({ name: '', address })

function parseSmtpUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed && parsed.hostname !== '' && ['smtp:', 'smtps:'].includes(parsed.protocol)) return parsed
  // The URL itself is not repeated: it may contain the password.
  throw new Error('expected the SMTP url to look like smtp://user:password@host:587 or smtps://…')
}

function domainOf(from: string): string {
  const [sender] = addressparser(from, { flatten: true })
  const domain = sender?.address.split('@').at(1)
  if (domain) return domain
  throw new Error(`expected the sender to be a mail address, got: ${from}`)
}
