/**
 * Secrets at rest: AES-256-GCM under a master key, with the key's id in the ciphertext and the row as additional data,
 * so that a ciphertext copied to another row cannot be decrypted. The first key encrypts; the others only decrypt. Retired
 * keys do neither: they only verify what they signed.
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
  /** Ids of the keys that decrypt. */
  readonly ids: string[]
  has(keyId: string): boolean
  encrypt(plaintext: string, row: string): string
  decrypt(ciphertext: string, row: string): string
  /** HMAC-SHA256 under a separate key for each purpose, so that a signature is valid for that purpose only. */
  sign(purpose: string, text: string): Buffer
  /**
   * Signatures by old keys stay valid until those keys are dropped or, once they are retired, until their time is over.
   * `bytes` is for what has no room for a whole one: that many of its first bytes have to be there.
   */
  isSigned(purpose: string, text: string, signature: Buffer, bytes?: number): boolean
}

/** A key that nothing is encrypted with any more, kept for links in mails that have been sent. */
export interface RetiredKey {
  key: string
  until: Date
}

const VERSION = 'v1'
const SIGNATURE_BYTES = 32

/** Keys are 32 bytes in base64, the current one first. */
export function createKeyring(
  keys: string[],
  retired: RetiredKey[] = [],
  now: () => number = Date.now,
): Keyring {
  const byId = new Map(keys.map(key => [keyId(key), decodeKey(key)]))
  const currentId = keyId(keys[0]!)
  const verifying = [
    ...keys.map(key => ({ key: decodeKey(key), untilMs: Number.POSITIVE_INFINITY })),
    ...retired.map(({ key, until }) => ({ key: decodeKey(key), untilMs: until.getTime() })),
  ].map(({ key, untilMs }) => ({ untilMs, signWith: createSigner(key) }))

  return {
    currentId,
    ids: [...byId.keys()],
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
    sign: (purpose, text) => verifying[0]!.signWith(purpose, text),
    isSigned: (purpose, text, signature, bytes = SIGNATURE_BYTES) =>
      verifying.some(({ untilMs, signWith }) => {
        if (untilMs <= now()) return false
        const expected = signWith(purpose, text).subarray(0, bytes)
        return signature.length === expected.length && timingSafeEqual(signature, expected)
      }),
  }
}

/** A keyring that changes with its source: `version` says when to `load` it again. */
export function createFollowingKeyring(load: () => Keyring, version: () => string): Keyring {
  let seen = version()
  let loaded = load()
  const current = (): Keyring => {
    const now = version()
    if (now === seen) return loaded
    try {
      loaded = load()
      seen = now
    } catch {
      // Somebody is editing the source. What was loaded still works, and the next use looks again.
    }
    return loaded
  }
  return {
    get currentId() {
      return current().currentId
    },
    get ids() {
      return current().ids
    },
    has: id => current().has(id),
    encrypt: (plaintext, row) => current().encrypt(plaintext, row),
    decrypt: (ciphertext, row) => current().decrypt(ciphertext, row),
    sign: (purpose, text) => current().sign(purpose, text),
    isSigned: (purpose, text, signature, bytes) => current().isSigned(purpose, text, signature, bytes),
  }
}

function createSigner(masterKey: Buffer): (purpose: string, text: string) => Buffer {
  const derived = new Map<string, Buffer>()
  return (purpose, text) => {
    const key =
      derived.get(purpose) ?? Buffer.from(hkdfSync('sha256', masterKey, '', `carillon ${purpose}`, 32))
    derived.set(purpose, key)
    return createHmac('sha256', key).update(text).digest()
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
