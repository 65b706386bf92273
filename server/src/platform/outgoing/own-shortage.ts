/** Failures of this process alone: it has no file, port or buffer left for another connection. */
const CODES = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS'])

export function isOwnShortage(code: string | undefined): boolean {
  return CODES.has(code ?? '')
}
