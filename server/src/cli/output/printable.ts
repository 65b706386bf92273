/**
 * Makes text from elsewhere safe to print. Error messages and names come from providers and producers; a terminal
 * would obey escape sequences in them, and a line break would break up a table row or fake a line of output.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ').trim()
}

/** Control characters, line separators, and the marks that reverse the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
