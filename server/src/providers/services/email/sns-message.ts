/**
 * Verifies the messages that Amazon SNS posts to an HTTPS endpoint, and confirms subscriptions.
 *
 * Without sns-validator or sns-payload-validator: both fetch the certificate themselves, past the address guard and
 * without limits on time and size, accept it from any host that looks like SNS, and use it after it has expired.
 */
import { verify, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { HttpClient } from '../../../platform/outgoing/http-client.ts'
import { assertFresh, assertGenuine, parseJson, readAs } from '../callback-checks.ts'
import { type CallbackRequest, ForgedCallback, type ProviderSettings } from '../kind.ts'

export const TOPIC_ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d+):\d{12}:[\w-]{1,256}$/

/** SNS retries for up to an hour (the documented maximum), and its timestamp is that of the publication, not the try. */
const MAX_MESSAGE_AGE_MS = 65 * 60 * 1000

const snsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
  Subject: z.string().optional(),
  Token: z.string().optional(),
  SubscribeURL: z.string().optional(),
})

type SnsMessage = z.infer<typeof snsMessage>

/** In the order in which they are signed; absent ones are left out. */
const SIGNED_FIELDS = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const

/** Certificates by URL, which is different for each certificate; per client, so that tests share none. */
const certificates = new WeakMap<HttpClient, Map<string, X509Certificate>>()

type Settings = Pick<ProviderSettings<unknown, unknown>, 'http' | 'timeoutMs' | 'now'>

/** The notification of this topic; undefined for the messages about the subscription itself. */
export async function readSnsMessage(
  request: CallbackRequest,
  topicArn: string,
  settings: Settings,
): Promise<SnsMessage | undefined> {
  const message = readAs(snsMessage, parseJson(request.body))
  // Checked before anything is fetched: a caller that does not know the topic must not make us call anybody.
  if (message?.TopicArn !== topicArn) throw new ForgedCallback('it is from another topic')
  const certificate = await certificateAt(urlAtSns(message.SigningCertURL, topicArn), settings)
  assertSigned(message, certificate)
  assertFresh(Date.parse(message.Timestamp), settings.now, MAX_MESSAGE_AGE_MS)
  if (message.Type === 'SubscriptionConfirmation') {
    await get(urlAtSns(message.SubscribeURL ?? '', topicArn), settings)
  }
  return message.Type === 'Notification' ? message : undefined
}

function assertSigned(message: SnsMessage, certificate: X509Certificate): void {
  const signed = SIGNED_FIELDS[message.Type]
    .filter(field => message[field] !== undefined)
    .map(field => `${field}\n${message[field]}\n`)
    .join('')
  const algorithm = message.SignatureVersion === '1' ? 'sha1' : 'sha256'
  const signature = Buffer.from(message.Signature, 'base64')
  assertGenuine(verify(algorithm, Buffer.from(signed), certificate.publicKey, signature))
}

/**
 * Only the SNS of the topic's own region: a pattern for any region would also match storage buckets named sns, whose
 * owners could put a certificate there.
 */
function urlAtSns(text: string, topicArn: string): string {
  const [, partition, region] = TOPIC_ARN.exec(topicArn) ?? []
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.origin !== `https://${host}`) throw new ForgedCallback(`it names a host other than ${host}`)
  return url.href
}

async function certificateAt(url: string, settings: Settings): Promise<X509Certificate> {
  if (!/\/SimpleNotificationService-\w+\.pem$/.test(url))
    throw new ForgedCallback('it does not name a certificate')
  const known = certificates.get(settings.http) ?? new Map<string, X509Certificate>()
  certificates.set(settings.http, known)
  const certificate = known.get(url) ?? new X509Certificate(await get(url, settings))
  if (Date.parse(certificate.validTo) < settings.now())
    throw new ForgedCallback('its certificate has expired')
  known.set(url, certificate)
  return certificate
}

/** Throws a plain error, so that SNS tries again. */
async function get(url: string, { http, timeoutMs }: Settings): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  const { status, body } = await http.send({ method: 'GET', url }, { signal, timeoutMs })
  if (status !== 200) throw new Error(`SNS answered HTTP ${status}`)
  return body
}
