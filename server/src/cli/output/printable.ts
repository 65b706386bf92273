/**
 * Makes text from elsewhere safe to print. Error messages and names come from providers and producers; a terminal
 * would obey escape sequences in them, and a line break would break up a table row or fake a line of output.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ').trim()
}

/** Keeps lines and their indentation, which belong to the text. */
export function printableLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map(line => `${/^[ \t]*/.exec(line)![0]}${printable(line)}`)
    .join('\n')
}

/** Control characters, line separators, and the marks that reverse the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g

/** A value as JSON text for people: what a terminal would obey is escaped, so it is still the same value. */
export function printableJson(value: unknown): string {
  // The only line breaks are those between fields: JSON escapes those inside of texts.
  return JSON.stringify(value, null, 2).replace(UNPRINTABLE, found =>
    found === '\n' ? found : escaped(found),
  )
}

function escaped(text: string): string {
  return text.replace(/./gu, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
