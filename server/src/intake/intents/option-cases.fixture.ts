/** Options of intents, and the answers to them, over HTTP and by SQL. */
import type { ShapeCase, Verdict } from './shape-cases.fixture.ts'

const BASE = {
  notification_type: 'shape',
  audience: { kind: 'users', user_ids: ['ada'] },
  payload: { title: 'Hello' },
}
const intent = (changes: object) => JSON.stringify({ ...BASE, ...changes })
const email = (value: unknown) => intent({ email: value })
const refused = (field: string, code = 'invalid_request'): Verdict => ({ code, field })

const FILE = { filename: 'a.pdf', content_type: 'application/pdf', content: 'QUJD' }
const file = (changes: object) => email({ attachments: [FILE, { ...FILE, ...changes }] })
const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64')
const MEGABYTE = 1024 * 1024
const MANY = { kind: 'addresses', channel: 'email', addresses: ['a@x.example', 'b@x.example'] }

export const OPTION_CASES: ShapeCase[] = [
  ['no option at all', email({}), 'accepted'],
  [
    'every option of mails',
    email({
      reply_to: 'help@x.example',
      cc: ['<A@X.example>', 'a@x.example'],
      bcc: ['b@x.example'],
      preheader: 'Before & after',
      attachments: [FILE],
    }),
    'accepted',
  ],
  ['a text as email', email('ada@x.example'), refused('email')],
  ['a misspelt option', email({ replyto: 'a@x.example' }), refused('email.replyto')],
  [
    'reply_to without an address',
    email({ reply_to: 'nobody' }),
    refused('email.reply_to', 'invalid_recipients'),
  ],
  [
    'reply_to with a header',
    email({ reply_to: 'a@x.example\r\nBcc: b@x.example' }),
    refused('email.reply_to'),
  ],
  [
    'cc with a list in it',
    email({ cc: ['a@x.example, b@x.example'] }),
    refused('email.cc.0', 'invalid_recipients'),
  ],
  ['bcc that is no list', email({ bcc: 'a@x.example' }), refused('email.bcc')],
  ['an empty cc', email({ cc: [] }), refused('email.cc')],
  [
    'eleven copies',
    email({ cc: Array.from({ length: 11 }, (_, i) => `${i}@x.example`) }),
    refused('email.cc'),
  ],
  [
    'copies for an audience of two',
    intent({ audience: MANY, email: { cc: ['c@x.example'] } }),
    refused('email.cc'),
  ],
  [
    'copies for a whole tenant',
    intent({ audience: { kind: 'tenant' }, email: { bcc: ['c@x.example'] } }),
    refused('email.bcc'),
  ],
  ['a preheader of two lines', email({ preheader: 'a\nb' }), refused('email.preheader')],
  ['a preheader of 201 characters', email({ preheader: 'x'.repeat(201) }), refused('email.preheader')],
  ['eleven attachments', email({ attachments: Array(11).fill(FILE) }), refused('email.attachments')],
  ['a text as attachment', email({ attachments: ['a.pdf'] }), refused('email.attachments.0')],
  [
    'a file without a name',
    file({ filename: undefined }),
    refused('email.attachments.1.filename', 'missing_field'),
  ],
  ['a file with a path', file({ filename: '../a.pdf' }), refused('email.attachments.1.filename')],
  ['a file with a path of Windows', file({ filename: 'a\\b.pdf' }), refused('email.attachments.1.filename')],
  ['a file with a header', file({ filename: 'a\r\nX: y' }), refused('email.attachments.1.filename')],
  ['a file whose name is blank', file({ filename: ' ' }), refused('email.attachments.1.filename')],
  ['a file called like a folder', file({ filename: '..' }), refused('email.attachments.1.filename')],
  ['a file with an ordinary name', file({ filename: ' .a b.pdf' }), 'accepted'],
  [
    'a file that consists of parts',
    file({ content_type: 'multipart/mixed' }),
    refused('email.attachments.1.content_type'),
  ],
  [
    'a file that is a part of another',
    file({ content_type: 'message/partial' }),
    refused('email.attachments.1.content_type'),
  ],
  ['a mail as a file', file({ content_type: 'message/rfc822' }), 'accepted'],
  [
    'a type with a parameter',
    file({ content_type: 'text/plain; x=y' }),
    refused('email.attachments.1.content_type'),
  ],
  ['content that is no Base64', file({ content: 'AB*D' }), refused('email.attachments.1.content')],
  ['content that breaks off', file({ content: 'ABC' }), refused('email.attachments.1.content')],
  ['empty content', file({ content: '' }), refused('email.attachments.1.content')],
  ['a file by its address', file({ url: 'https://x.example/' }), refused('email.attachments.1.url')],
  [
    'five megabytes of attachments',
    email({ attachments: [{ ...FILE, content: base64(5 * MEGABYTE) }] }),
    'accepted',
  ],
  [
    'five megabytes and a byte',
    email({ attachments: [FILE, { ...FILE, content: base64(5 * MEGABYTE - 2) }] }),
    refused('email.attachments', 'payload_too_large'),
  ],
  ['media', intent({ sms: { media: ['https://x.example/a.png?b=c'] } }), 'accepted'],
  [
    'media that is not encrypted',
    intent({ sms: { media: ['http://x.example/a.png'] } }),
    refused('sms.media.0'),
  ],
  ['another option of text messages', intent({ sms: { image: 'x' } }), refused('sms.image')],
  [
    'a content template',
    intent({ chat: { content_sid: `HX${'0a'.repeat(16)}`, content_variables: { 1: 'Ada' } } }),
    'accepted',
  ],
  [
    'a content template without its mark',
    intent({ chat: { content_sid: 'XX' } }),
    refused('chat.content_sid'),
  ],
  [
    'a number as content variable',
    intent({ chat: { content_variables: { 1: 7 } } }),
    refused('chat.content_variables.1'),
  ],
]
