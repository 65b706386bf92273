/**
 * Remembers what was looked up for a while, usually a second: a busy caller then costs no query each time, and a change
 * made elsewhere still takes effect without a restart.
 *
 * Not lru-cache with its fetchMethod, which was tried: it does not keep `undefined` (a key that does not exist must be
 * remembered too), its time starts when the answer comes and not when the question was asked, a time of 0 means forever,
 * and forgetting a key fails those who are waiting for it unless told otherwise. Working around these took as many lines
 * as this.
 */

export interface MemoryOptions {
  /** 0 remembers nothing beyond what `before` gives. */
  forMs: number
  now: () => number
  /** Beyond so many keys, those loaded longest ago are forgotten. */
  atMost?: number
}

export interface Memory<Value> {
  /**
   * The remembered value, or a fresh one. All who ask meanwhile share one load; a failed one is not remembered. `before`
   * is what was loaded last, for those who can reuse parts of it.
   */
  get(key: string, load: (before: Value | undefined) => Promise<Value>): Promise<Value>
  /** Whoever asks from now on gets a fresh value; who is waiting already gets what is being loaded. */
  forget(key: string): void
}

interface Entry<Value> {
  loading: Promise<Value>
  /** The last value that came, perhaps of an earlier load. */
  value: Value | undefined
  until: number
}

const AT_MOST = 10_000

export function createMemory<Value>({ forMs, now, atMost = AT_MOST }: MemoryOptions): Memory<Value> {
  const entries = new Map<string, Entry<Value>>()

  function remember(key: string, entry: Entry<Value>): void {
    entries.delete(key)
    entries.set(key, entry)
    for (const oldest of entries.keys()) {
      if (entries.size <= atMost) break
      entries.delete(oldest)
    }
  }

  function forgetEntry(key: string, entry: Entry<Value>): void {
    if (entries.get(key) === entry) entries.delete(key)
  }

  return {
    get(key, load) {
      const known = entries.get(key)
      const askedAt = now()
      if (known !== undefined && known.until > askedAt) return known.loading
      const before = known?.value
      const entry: Entry<Value> = { loading: load(before), value: before, until: askedAt + forMs }
      remember(key, entry)
      entry.loading.then(
        value => {
          entry.value = value
        },
        () => forgetEntry(key, entry),
      )
      return entry.loading
    },
    forget(key) {
      entries.delete(key)
    },
  }
}
