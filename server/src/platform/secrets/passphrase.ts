/**
 * Secrets that leave the instance, in an export or a backup, are encrypted with a passphrase: whoever reads them has
 * another master key, or none. scrypt makes the key, AES-256-GCM encrypts, and each text is bound to what it belongs to.
 */
import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'

/** What has to be known beside the passphrase; no secret itself. */
export const Lock = z.object({
  kdf: z.literal('scrypt'),
  n: z.number(),
  r: z.number(),
  p: z.number(),
  salt: z.string(),
  /** A known text, encrypted: it tells a wrong passphrase from the right one before anything is read. */
  check: z.string(),
})
export type Lock = z.infer<typeof Lock>

export interface Box {
  lock: Lock
  close(plaintext: string, owner: string): string
  open(closed: string, owner: string): string
}

const CHECK = 'carillon'
const SHORTEST = 12
/** 128 MB and a few tenths of a second for each guess. */
const COST = { n: 2 ** 17, r: 8, p: 1 }
const HIGHEST_COST = 2 ** 20
const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

export async function newBox(passphrase: string): Promise<Box> {
  if (passphrase.length < SHORTEST)
    throw new Error(`The passphrase has to have at least ${SHORTEST} characters.`)
  const lock = { kdf: 'scrypt' as const, ...COST, salt: randomBytes(16).toString('base64') }
  const box = createBox(await keyOf(passphrase, lock))
  return { ...box, lock: { ...lock, check: box.close(CHECK, '') } }
}

export async function openBox(lock: Lock, passphrase: string): Promise<Box> {
  if (lock.kdf !== 'scrypt' || lock.n * lock.r * lock.p > HIGHEST_COST * 8)
    throw new Error('The secrets of this file are encrypted in a way that this version does not know.')
  const box = createBox(await keyOf(passphrase, lock))
  try {
    box.open(lock.check, '')
  } catch {
    throw new Error('The passphrase is not the one that this file was written with.')
  }
  return { ...box, lock }
}

function keyOf(passphrase: string, { n, r, p, salt }: Omit<Lock, 'check'>): Promise<Buffer> {
  const options = { N: n, r, p, maxmem: 256 * n * r }
  return derive(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, options)
}

function createBox(key: Buffer): Pick<Box, 'close' | 'open'> {
  return {
    close(plaintext, owner) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return Buffer.concat([iv, body]).toString('base64')
    },
    open(closed, owner) {
      const bytes = Buffer.from(closed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-16))
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8')
    },
  }
}
