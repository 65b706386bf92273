/**
 * Messages as they are shown to those who may look but not act: signed links in them become sample ones. What is looked
 * for is the token and not the link, as templates also put it into addresses of their own.
 */
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { readToken } from './signed-links.ts'

/** Words joined by dots. It matches every word it meets, so that no text makes it go back and try again. */
const WORDS = /[\w-]+(?:\.[\w-]+)*/g
/** What the JSON of every claim begins with, in base64. */
const CLAIM_START = 'eyJ'
/** Of 32 bytes, in base64. */
const SIGNATURE_LENGTH = 43

export function hideLinks(keyring: Keyring, text: string): string {
  return text.replace(WORDS, words => hideTokens(keyring, words.split('.')))
}

/** A claim is the end of one word, its signature the start of the next. */
function hideTokens(keyring: Keyring, words: string[]): string {
  const shown: string[] = []
  let word = words[0]!
  for (const next of words.slice(1)) {
    const at = next.length < SIGNATURE_LENGTH ? -1 : word.indexOf(CLAIM_START)
    if (at >= 0 && isOurs(keyring, `${word.slice(at)}.${next.slice(0, SIGNATURE_LENGTH)}`)) {
      word = `${word.slice(0, at)}sample${next.slice(SIGNATURE_LENGTH)}`
    } else {
      shown.push(word)
      word = next
    }
  }
  return [...shown, word].join('.')
}

/** An expired one is hidden too, as it names a person; one of a master key that is gone opens nothing. */
function isOurs(keyring: Keyring, token: string): boolean {
  return (['unsubscribe', 'preferences'] as const).some(
    purpose => readToken(keyring, purpose, token, 0) !== undefined,
  )
}
