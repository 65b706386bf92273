/** Settings from the environment of a server-side program. */

interface Surroundings {
  document?: unknown
  process?: { versions?: { node?: string }; env?: { [name: string]: string | undefined } }
}

/**
 * In a browser nothing is read: what a page finds in a stand-in for `process.env` was put there by its bundler, and
 * everybody who opens the page could read the key. For the same reason `process.env` is not spelled out here, since
 * bundlers would replace it. Empty is the same as missing.
 */
export function fromEnvironment(name: 'CARILLON_API_KEY' | 'CARILLON_URL'): string | undefined {
  const { document, process } = globalThis as Surroundings
  const isBrowser = document !== undefined || process?.versions?.node === undefined
  return isBrowser ? undefined : process?.env?.[name] || undefined
}
