/** The settings of a client, checked when it is created, so that a mistake shows at once and not in the first call. */
import { fromEnvironment } from './environment.ts'

export interface ClientOptions {
  /** Where Carillon listens, for example http://127.0.0.1:8420; a path in front of /v1 is kept. Default: CARILLON_URL. */
  url?: string
  /** Needed for everything except the health checks. Default: CARILLON_API_KEY. */
  apiKey?: string
  /** Longest wait for one answer, in milliseconds; each try has its own. Default 30000. */
  timeoutMs?: number
  /** How often a failed call is repeated when that is safe. Default 3; 0 never repeats. */
  retries?: number
  /** Replaces the built-in fetch. */
  fetch?: typeof globalThis.fetch
  /** Replaces the wait between two tries, the source of its jitter, and the clock. For tests. */
  sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  random?: () => number
  now?: () => number
}

interface CheckedOptions {
  /** Without a slash at the end. */
  url: string
  apiKey: string | undefined
  timeoutMs: number
  retries: number
}

export function checkOptions(options: ClientOptions): CheckedOptions {
  const { apiKey = fromEnvironment('CARILLON_API_KEY'), timeoutMs = 30_000, retries = 3 } = options
  // Checked here because fetch would repeat the key in its own error message.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('The apiKey must consist of printable characters without spaces.')
  }
  if (!(timeoutMs > 0)) throw new TypeError(`timeoutMs must be a positive number, got ${timeoutMs}.`)
  if (!Number.isInteger(retries) || retries < 0) {
    throw new TypeError(`retries must be a whole number of at least 0, got ${retries}.`)
  }
  return { url: checkUrl(options.url ?? fromEnvironment('CARILLON_URL')), apiKey, timeoutMs, retries }
}

function checkUrl(given: string | undefined): string {
  if (given === undefined) throw new TypeError('There is no url: pass one, or set CARILLON_URL.')
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TypeError(`The url must start with http:// or https://, got "${given}".`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The url must not contain a user or password; pass the key as apiKey.')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
