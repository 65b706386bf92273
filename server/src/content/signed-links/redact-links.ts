/**
 * Replaces signed links by sample ones, for those who may see a message but not act for its recipient. It looks for the
 * token and not for the whole link, since templates also put the token into URLs of their own.
 */
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { readToken } from './signed-links.ts'

/** Words joined by dots. Every word matches, so no text can make it backtrack. */
const WORDS = /[\w-]+(?:\.[\w-]+)*/g
/** How every claim begins: the base64 of `{"`. */
const CLAIM_START = 'eyJ'
/** 32 bytes in base64. */
const SIGNATURE_LENGTH = 43

export function redactSignedLinks(keyring: Keyring, text: string): string {
  return text.replace(WORDS, words => redactTokens(keyring, words.split('.')))
}

/** A claim is at the end of one word, its signature at the start of the next. */
function redactTokens(keyring: Keyring, words: string[]): string {
  const done: string[] = []
  let word = words[0]!
  for (const next of words.slice(1)) {
    const at = next.length < SIGNATURE_LENGTH ? -1 : word.indexOf(CLAIM_START)
    if (at >= 0 && isOurs(keyring, `${word.slice(at)}.${next.slice(0, SIGNATURE_LENGTH)}`)) {
      word = `${word.slice(0, at)}sample${next.slice(SIGNATURE_LENGTH)}`
    } else {
      done.push(word)
      word = next
    }
  }
  return [...done, word].join('.')
}

/** Expired tokens count too, since they name a person; those of a dropped master key give access to nothing. */
function isOurs(keyring: Keyring, token: string): boolean {
  return (['unsubscribe', 'preferences', 'thread'] as const).some(
    purpose => readToken(keyring, purpose, token, 0) !== undefined,
  )
}
