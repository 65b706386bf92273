/** What can be told about JSON text without parsing it. */

/** Deeper than anything people write; much deeper, and code that walks through it runs out of stack. */
export const MAX_DEPTH = 200

/** Counts brackets outside of strings. */
export function isDeeperThan(maxDepth: number, text: string): boolean {
  if (text.length <= maxDepth) return false
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) isString = !isString
    else if (isString) at += code === 0x5c ? 1 : 0
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/** NUL, or half a character. Tests cheaply for the rare suspicious escapes first, and walks through all only if need be. */
export function hasUnstorableEscape(text: string): boolean {
  if (!/\\u(?:0000|d[89a-f])/i.test(text)) return false
  // An even number of backslashes before the u means an escaped backslash, not an escape.
  const escapes = text.matchAll(/\\(?:u([0-9a-fA-F]{4})|.)/g)
  let highPending: number | undefined
  for (const match of escapes) {
    const end = match.index + match[0].length
    const unit = match[1] === undefined ? -1 : Number.parseInt(match[1], 16)
    const isLow = unit >= 0xdc00 && unit <= 0xdfff
    if (unit === 0) return true
    if (highPending !== undefined) {
      if (!isLow || match.index !== highPending) return true
      highPending = undefined
    } else if (isLow) return true
    if (unit >= 0xd800 && unit <= 0xdbff) highPending = end
  }
  return highPending !== undefined
}
