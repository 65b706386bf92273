/**
 * Secrets at rest: AES-256-GCM under a master key, with the key's id in the ciphertext and the row as additional data,
 * so that a ciphertext copied to another row cannot be decrypted. The first key encrypts; the others only decrypt.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

export interface Keyring {
  /** Id of the key that encrypts. */
  readonly currentId: string
  has(keyId: string): boolean
  encrypt(plaintext: string, row: string): string
  decrypt(ciphertext: string, row: string): string
  /** HMAC-SHA256 under a separate key for each purpose, so that a signature is valid for that purpose only. */
  sign(purpose: string, text: string): Buffer
  /** Signatures by old keys stay valid until those keys are dropped. */
  isSigned(purpose: string, text: string, signature: Buffer): boolean
}

const VERSION = 'v1'

/** Keys are 32 bytes in base64, the current one first. */
export function createKeyring(keys: string[]): Keyring {
  const byId = new Map(keys.map(key => [keyId(key), decodeKey(key)]))
  const currentId = keyId(keys[0]!)
  const derived = new Map<string, Buffer>()

  function signWith(id: string, purpose: string, text: string): Buffer {
    const name = `${id} ${purpose}`
    const key =
      derived.get(name) ?? Buffer.from(hkdfSync('sha256', byId.get(id)!, '', `carillon ${purpose}`, 32))
    derived.set(name, key)
    return createHmac('sha256', key).update(text).digest()
  }

  return {
    currentId,
    has: id => byId.has(id),
    encrypt(plaintext, row) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', byId.get(currentId)!, iv)
      cipher.setAAD(Buffer.from(row))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return [VERSION, currentId, iv.toString('base64'), body.toString('base64')].join('.')
    },
    decrypt(ciphertext, row) {
      const [version, id = '', iv = '', body = ''] = ciphertext.split('.')
      const key = byId.get(id)
      if (version !== VERSION || key === undefined)
        throw new Error(`The master key ${id}, needed to decrypt a stored secret, is missing.`)
      const bytes = Buffer.from(body, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), { authTagLength: 16 })
      decipher.setAAD(Buffer.from(row))
      decipher.setAuthTag(bytes.subarray(-16))
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
    },
    sign: (purpose, text) => signWith(currentId, purpose, text),
    isSigned: (purpose, text, signature) =>
      [...byId.keys()].some(id => {
        const expected = signWith(id, purpose, text)
        return signature.length === expected.length && timingSafeEqual(signature, expected)
      }),
  }
}

/** Id of the key that a text was encrypted with. */
export function keyIdOf(ciphertext: string): string {
  return ciphertext.split('.')[1] ?? ''
}

export function newMasterKey(): string {
  return randomBytes(32).toString('base64')
}

/** An id that identifies a key without revealing anything about it. */
export function keyId(key: string): string {
  return createHash('sha256').update(decodeKey(key)).digest('hex').slice(0, 12)
}

function decodeKey(key: string): Buffer {
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length !== 32)
    throw new Error('A master key must be 32 bytes in base64; create one with: openssl rand -base64 32')
  return bytes
}
