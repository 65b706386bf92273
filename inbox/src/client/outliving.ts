/** Whoever opens a row leaves the page: what was done is sent all the same. */
export function outliving(fetch: typeof globalThis.fetch = (...request) => globalThis.fetch(...request)) {
  return (input: Parameters<typeof fetch>[0], init: RequestInit = {}) =>
    fetch(input, init.method === 'POST' ? { ...init, keepalive: true } : init)
}
