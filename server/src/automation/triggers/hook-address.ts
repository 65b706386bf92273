/** The address of an http trigger: unguessable, shown once, and stored as a hash like an API key. */
import { createHash, randomBytes } from 'node:crypto'
import type { CreatedHttpTrigger, Trigger } from '@carillon/contract'
import type { Address } from './details.ts'

/** 192 random bits; the prefix lets secret scanners recognise a leaked one. */
export function newToken(): string {
  return `chk_${randomBytes(24).toString('base64url')}`
}

/** Looking up by hash needs no constant-time comparison: a timing difference reveals nothing about the token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Where the token leads, as it is stored. */
export function addressOf(token: string): Address {
  return { token_hash: hashToken(token), hint: `${token.slice(0, 8)}…` }
}

/** `publicUrl` is where this API is reached; '' when it is not public. */
export function withUrl(trigger: Trigger, token: string, publicUrl: string): CreatedHttpTrigger {
  return { ...trigger, url: `${publicUrl.replace(/\/$/, '')}/hooks/${token}` } as CreatedHttpTrigger
}
