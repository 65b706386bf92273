import { createHash, createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, it } from 'vitest'
import { startSmtpReceiver } from '../../../test/receivers/smtp-receiver.ts'
import type { Message } from '../../content/messages/message.ts'
import { createDkimSigner } from './dkim.ts'
import { aMessage } from './message.fixture.ts'
import type { Outcome } from './provider.ts'
import { createSmtpProvider } from './smtp.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const dkim = { domain: 'carillon.example', selector: 'bells', private_key: toPem(privateKey) }

it('a signed mail verifies and covers what it is threaded by and both headers of one-click unsubscribe', {
  tags: 'S001-31',
}, async () => {
  const { raw } = await sendSigned()
  const { tags, signed, bodyHash } = readSignature(raw)
  expect(tags).toMatchObject({ d: 'carillon.example', s: 'bells', a: 'rsa-sha256', c: 'relaxed/relaxed' })
  const threaded = ['message-id', 'in-reply-to', 'references', 'list-id', 'reply-to']
  const covered = ['from', 'subject', ...threaded, 'list-unsubscribe', 'list-unsubscribe-post']
  expect(tags.h?.split(':')).toEqual(expect.arrayContaining(covered))
  expect(tags.bh).toBe(bodyHash)
  expect(
    createVerify('rsa-sha256')
      .update(signed)
      .verify(publicKey, tags.b ?? '', 'base64'),
  ).toBe(true)
})

it.each(['One\r\nTwo', 'One\rTwo', 'One\n\rTwo', 'One\r\r\n', '\r', '. \r.\r\n.\r'])(
  'a signed mail verifies whatever its lines end with: %j',
  async body => {
    const { raw } = await sendSigned({ text: body, html: `<p>${body}</p>` })
    const { tags, bodyHash } = readSignature(raw)
    expect(tags.bh).toBe(bodyHash)
  },
)

it('signing reads the body early, yet a server that hangs at RCPT does not make the outcome uncertain', async () => {
  const { outcome } = await sendSigned({}, 'hang')
  expect(outcome).toMatchObject({ kind: 'retry' })
})

it.each([
  ['nonsense', 'not a key'],
  ['an Ed25519 key', toPem(generateKeyPairSync('ed25519').privateKey)],
])('%s is refused, because the mail would go out unsigned', (_case, private_key) => {
  expect(() => createDkimSigner({ ...dkim, private_key })).toThrow(
    'expected the DKIM private key to be an RSA key in PEM form',
  )
})

async function sendSigned(
  content: Partial<Message> = {},
  play?: 'hang',
): Promise<{ outcome: Outcome; raw: string }> {
  const receiver = await startSmtpReceiver()
  if (play) receiver.behave({ hang: 'rcpt' })
  const provider = createSmtpProvider({
    url: receiver.url,
    from: 'bells@carillon.example',
    dkim,
    timeout_ms: play ? 300 : 10_000,
    pool_size: 1,
  })
  try {
    const outcome = await provider.send(
      aMessage({
        unsubscribe_url: `https://x.example/u/${'t'.repeat(500)}`,
        thread: { kind: 'issue', id: '42' },
        topic: 'acme/api',
        reply_to: 'reply+a@x.example',
        ...content,
      }),
      new AbortController().signal,
    )
    return { outcome, raw: receiver.mails[0]?.raw.toString('latin1') ?? '' }
  } finally {
    await provider.close()
    await receiver.stop()
  }
}

/** The verifier's side of RFC 6376 for relaxed/relaxed: what was signed, and the hash of the body as received. */
function readSignature(raw: string) {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw.slice(0, end).split(/\r\n(?![ \t])/)
  const find = (name: string) => headers.find(line => line.toLowerCase().startsWith(`${name}:`)) ?? ''
  const signature = find('dkim-signature')
  const tags = readTags(signature)
  const covered = (tags.h ?? '').split(':').map(name => `${relaxHeader(find(name))}\r\n`)
  const signed = covered.join('') + relaxHeader(signature.replace(/(;\s*b=)[\s\S]*$/, '$1'))
  return {
    tags,
    signed,
    bodyHash: createHash('sha256')
      .update(relaxBody(raw.slice(end + 4)), 'latin1')
      .digest('base64'),
  }
}

function readTags(signature: string): Record<string, string> {
  const pairs = signature.slice(signature.indexOf(':') + 1).split(';')
  return Object.fromEntries(
    pairs.map(pair => {
      const [name = '', ...value] = pair.replace(/\s+/g, '').split('=')
      return [name, value.join('=')]
    }),
  )
}

function relaxHeader(line: string): string {
  const [name = '', ...value] = line.replace(/\r\n/g, '').split(':')
  return `${name.toLowerCase().trim()}:${value
    .join(':')
    .replace(/[ \t]+/g, ' ')
    .trim()}`
}

function relaxBody(body: string): string {
  const lines = body.replace(/[ \t]+/g, ' ').replace(/ \r\n/g, '\r\n')
  return `${lines.replace(/(\r\n)*$/, '')}\r\n`
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
