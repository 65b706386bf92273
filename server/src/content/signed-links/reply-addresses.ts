/**
 * Signed reply addresses: reply+<token>@domain. Whoever has one may write to the thread of a mail as the person who got it.
 * The token names the mail, since what comes before the @ may have only 64 characters, of which letters may lose their case.
 */
import type { Keyring } from '../../platform/secrets/keyring.ts'

const PREFIX = 'reply+'
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const UUID_BYTES = 16
const ROUTE_BYTES = 8
/** Only whoever can send a mail for each guess can try one. */
const SIGNATURE_BYTES = 10

/** `messageId` as message-id.ts makes it: the notification's id, a dot, and sixteen hex digits. */
export function replyAddress(keyring: Keyring, tenantId: string, messageId: string, domain: string): string {
  const id = Buffer.from(messageId.replace(/[-.]/g, ''), 'hex')
  const signature = keyring.sign('reply', signedText(tenantId, messageId)).subarray(0, SIGNATURE_BYTES)
  return `${PREFIX}${toBase32(Buffer.concat([id, signature]))}@${domain}`
}

/** Whether the address is meant to be one of ours, whatever its token is worth. */
export function isReplyAddress(address: string, domain: string): boolean {
  const normal = address.toLowerCase()
  return normal.startsWith(PREFIX) && normal.endsWith(`@${domain.toLowerCase()}`)
}

/** The id of the mail that is answered; undefined if we did not sign it for this tenant. */
export function readReplyAddress(keyring: Keyring, tenantId: string, address: string): string | undefined {
  const token = address.toLowerCase().slice(PREFIX.length, address.lastIndexOf('@'))
  const bytes = fromBase32(token)
  if (bytes?.length !== UUID_BYTES + ROUTE_BYTES + SIGNATURE_BYTES) return undefined
  const messageId = toMessageId(bytes.toString('hex', 0, UUID_BYTES + ROUTE_BYTES))
  const signature = bytes.subarray(UUID_BYTES + ROUTE_BYTES)
  const isOurs = keyring.isSigned('reply', signedText(tenantId, messageId), signature, SIGNATURE_BYTES)
  return isOurs ? messageId : undefined
}

const signedText = (tenantId: string, messageId: string): string => `${tenantId} ${messageId}`

function toMessageId(hex: string): string {
  const [, a, b, c, d, e, route] = /^(.{8})(.{4})(.{4})(.{4})(.{12})(.{16})$/.exec(hex)!
  return `${a}-${b}-${c}-${d}-${e}.${route}`
}

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map(five => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** undefined unless it is what toBase32() writes: a token has one spelling. */
function fromBase32(text: string): Buffer | undefined {
  if (!/^[a-z2-7]{1,64}$/.test(text)) return undefined
  const bits = [...text].map(letter => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map(eight => Number.parseInt(eight, 2)))
  return toBase32(bytes) === text ? bytes : undefined
}
