/** Sends mail through Amazon SES, API v2. */
import { AwsV4Signer } from 'aws4fetch'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import { z } from 'zod'
import type { Message } from '../../../content/messages/message.ts'
import { defineHttpProvider, type ErrorClass, type ErrorRule, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { idsOf, mailHeaders, mailOptions, recipientOf, toTag, WRONG_ENDPOINT } from './mail-parts.ts'
import { endpoint, mailConfig, parseMailbox } from './mail-settings.ts'
import { sesCallback } from './ses-callback.ts'
import { TOPIC_ARN } from './sns-message.ts'

const config = mailConfig.extend({
  // It becomes part of the host, so nothing but a region is allowed.
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d+$/, { error: 'expected a region such as eu-central-1' }),
  configuration_set: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .describe('The configuration set that publishes events; nothing is reported back without it.'),
  topic_arn: z
    .string()
    .regex(TOPIC_ARN, { error: 'expected arn:aws:sns:<region>:<account>:<topic>' })
    .optional()
    .describe('The SNS topic that events are published to; reports are refused without it.'),
})

type Config = z.infer<typeof config>

export const ses: ProviderKind = defineHttpProvider({
  name: 'ses',
  title: 'Amazon SES',
  channels: ['email'],
  config,
  secrets: z.strictObject({
    access_key_id: token,
    secret_access_key: token,
    session_token: token.optional(),
  }),
  callback: sesCallback,

  async request(message, { config, secrets, now }) {
    const standard = `https://email.${config.region}.amazonaws.com`
    const body = JSON.stringify(toEmail(message, config))
    const { url, headers } = await new AwsV4Signer({
      method: 'POST',
      url: endpoint(config.base_url, standard, '/v2/email/outbound-emails'),
      headers: { 'content-type': 'application/json' },
      body,
      accessKeyId: secrets.access_key_id,
      secretAccessKey: secrets.secret_access_key,
      ...(secrets.session_token && { sessionToken: secrets.session_token }),
      service: 'ses',
      region: config.region,
      datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      // The content type must be signed if it is sent; by default the library does not sign it.
      allHeaders: true,
    }).sign()
    return { method: 'POST', url, headers: Object.fromEntries(headers), body }
  },

  messageId: answer => jsonIn(answer, 'MessageId'),

  rules: [
    // The message says which identity of ours is not verified yet.
    { status: 400, body: /not verified/i, then: 'config' },
    ...exceptionRules('TooManyRequestsException|LimitExceededException|ThrottlingException', 'rate_limited'),
    ...exceptionRules(
      'AccountSuspendedException|SendingPausedException|MailFromDomainNotVerifiedException|NotFoundException',
      'config',
    ),
    WRONG_ENDPOINT,
  ],
})

/** Simple content: SES would replace the Message-ID of a raw mail with its own, so only the tags contain our id. */
function toEmail(message: Message, { from, reply_to, configuration_set }: Config) {
  const { replyTo, cc, bcc, files } = mailOptions(message, reply_to)
  return {
    FromEmailAddress: inAscii(from),
    Destination: {
      ToAddresses: [recipientOf(message)],
      ...(cc && { CcAddresses: cc }),
      ...(bcc && { BccAddresses: bcc }),
    },
    ...(replyTo && { ReplyToAddresses: [inAscii(replyTo)] }),
    Content: {
      Simple: {
        Subject: inUtf8(message.subject),
        Body: {
          Text: inUtf8(message.text),
          ...(message.html !== null && { Html: inUtf8(message.html) }),
        },
        Headers: Object.entries(mailHeaders(message)).map(([Name, Value]) => ({ Name, Value })),
        ...(files.length > 0 && {
          Attachments: files.map(({ filename, content_type, content }) => ({
            FileName: filename,
            ContentType: content_type,
            ContentDisposition: 'ATTACHMENT',
            ContentTransferEncoding: 'BASE64',
            RawContent: content.toString('base64'),
          })),
        }),
      },
    },
    EmailTags: Object.entries(idsOf(message)).map(([Name, id]) => ({ Name, Value: toTag(id) })),
    ...(configuration_set && { ConfigurationSetName: configuration_set }),
  }
}

function inUtf8(Data: string) {
  return { Data, Charset: 'UTF-8' }
}

/** Non-ASCII names are sent as encoded words; SES would refuse them otherwise. */
function inAscii(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  const { name, address } = parseMailbox(text)
  return `${encodeWord(name, 'B')} <${address}>`
}

/** The exception is named in a header, and by some of Amazon's front ends in the body. */
function exceptionRules(exceptions: string, then: ErrorClass): ErrorRule[] {
  return [
    { header: { name: 'x-amzn-errortype', value: new RegExp(`^(${exceptions})\\b`) }, then },
    { body: new RegExp(`"__type"\\s*:\\s*"([^"]*#)?(${exceptions})\\b`), then },
  ]
}
