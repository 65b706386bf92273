/**
 * Reads one stream: takes entries, has them accepted, and acknowledges what is committed. What cannot be accepted for the
 * moment stays in hand and is tried again, so a slow or absent database stops the reading and not the process.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import { createWake } from '../../platform/queue/wake.ts'
import type { AcceptedEntries, Settled } from './accept-entries.ts'
import type { StreamEntry } from './entry.ts'
import type { Lag, StreamSource } from './source.ts'

/** In memory at once, waiting for the database: two statements' worth, so that the next is ready when one is done. */
const MAX_IN_HAND = 400
/** So that entries of a megabyte do not fill the memory. Servers count entries alone, so how many that are is a guess. */
const MAX_BYTES_IN_HAND = 32 * 1024 * 1024
const FIRST_GUESS_BYTES = 1024 * 1024
/** Accepted together. */
const PORTION_BYTES = 4 * 1024 * 1024
/** Fewer are not worth a read while more are being accepted. */
const MIN_READ = 50
const LONGEST_PAUSE_MS = 5000

export interface ReaderOptions {
  name: string
  source: StreamSource
  accept: (entries: StreamEntry[]) => Promise<AcceptedEntries>
  /** Others get what is not kept for so long. */
  leaseMs: number
  /** How long a stopping reader waits for what is being accepted. */
  shutdownMs: number
  onSettled: (as: Settled, count: number) => void
  onError: (error: unknown) => void
}

export interface StreamReader extends Service {
  /** Until this is called with true, nothing is read. */
  allow(isAllowed: boolean): void
  /** Milliseconds since the server last answered a read; undefined: not yet. */
  sinceRead(): number | undefined
  /** Why nothing is read or accepted; '' if nothing is wrong. */
  trouble(): string
  lag(): Promise<Lag>
}

export function createStreamReader(options: ReaderOptions): StreamReader {
  const { source, leaseMs } = options
  const wake = createWake()
  const stopping = new AbortController()
  const inHand = new Set<StreamEntry>()
  const settling = new Set<Promise<void>>()
  let bytesInHand = 0
  let guessedBytes = FIRST_GUESS_BYTES
  let isAllowed = false
  let isPrepared = false
  let readAtMs: number | undefined
  let readTrouble = ''
  let acceptTrouble = ''
  let keeping: NodeJS.Timeout | undefined

  async function round(): Promise<number> {
    if (!isAllowed) return LONGEST_PAUSE_MS
    const room = roomInHand()
    if (room < (settling.size > 0 ? MIN_READ : 1)) return LONGEST_PAUSE_MS
    try {
      if (!isPrepared) await source.prepare()
      isPrepared = true
      await source.read(room, take)
      readAtMs = performance.now()
      readTrouble = ''
      return 0
    } catch (error) {
      isPrepared = false
      readTrouble = (error as Error).message
      throw error
    }
  }

  /** At least one if there is none: it may be larger than everything else together. */
  function roomInHand(): number {
    const fitting = Math.floor((MAX_BYTES_IN_HAND - bytesInHand) / guessedBytes)
    return Math.min(MAX_IN_HAND - inHand.size, Math.max(fitting, inHand.size === 0 ? 1 : 0))
  }

  function take(entries: StreamEntry[]): void {
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
    for (const entry of entries) inHand.add(entry)
    bytesInHand += bytes
    guessedBytes = Math.max(bytes / entries.length, guessedBytes / 2)
    const work = settleInPortions(entries).finally(() => {
      settling.delete(work)
      wake.call()
    })
    settling.add(work)
  }

  async function settleInPortions(entries: StreamEntry[]): Promise<void> {
    for (const portion of portionsOf(entries)) await settle(portion)
  }

  async function settle(entries: StreamEntry[]): Promise<void> {
    let left = entries
    for (let tries = 0; left.length > 0 && !stopping.signal.aborted; tries++) {
      if (tries > 0) await pause(Math.min(LONGEST_PAUSE_MS, 50 * 2 ** Math.min(tries, 7)))
      const { settled, later, error } = await options.accept(left)
      acceptTrouble = later.length === 0 ? '' : (error as Error).message
      if (later.length > 0) options.onError(error)
      await acknowledge(settled)
      left = later
    }
  }

  async function pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: stopping.signal }).catch(() => {})
  }

  async function acknowledge(settled: AcceptedEntries['settled']): Promise<void> {
    if (settled.length === 0) return
    for (const { entry } of settled) {
      inHand.delete(entry)
      bytesInHand -= entry.bytes
    }
    wake.call()
    for (const as of ['accepted', 'duplicate', 'malformed'] as const) {
      const count = settled.filter(entry => entry.as === as).length
      if (count > 0) options.onSettled(as, count)
    }
    // If this is lost, they are read again and found to be duplicates.
    await source.acknowledge(settled.map(({ entry }) => entry)).catch(options.onError)
  }

  const loop = createLoop({
    name: options.name,
    round,
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError: options.onError,
  })

  return {
    name: options.name,
    async start() {
      keeping = setInterval(() => {
        if (inHand.size > 0) source.keep([...inHand]).catch(options.onError)
      }, leaseMs / 3)
      await loop.start()
    },
    async stop() {
      await loop.stop()
      stopping.abort()
      await Promise.race([Promise.all(settling), delay(options.shutdownMs, undefined, { ref: false })])
      clearInterval(keeping)
      if (inHand.size > 0) await source.giveBack([...inHand]).catch(options.onError)
      await source.close()
    },
    allow(allowed) {
      if (allowed === isAllowed) return
      isAllowed = allowed
      wake.call()
    },
    sinceRead: () => (readAtMs === undefined ? undefined : performance.now() - readAtMs),
    trouble: () => readTrouble || acceptTrouble,
    async lag() {
      // A paused stream has a lag too, which nobody else would connect for.
      if (!isAllowed && !isPrepared) {
        await source.prepare()
        isPrepared = true
      }
      return source.lag()
    },
  }
}

function portionsOf(entries: StreamEntry[]): StreamEntry[][] {
  const portions: StreamEntry[][] = [[]]
  let bytes = 0
  for (const entry of entries) {
    if (bytes > PORTION_BYTES) {
      portions.push([])
      bytes = 0
    }
    portions.at(-1)!.push(entry)
    bytes += entry.bytes
  }
  return portions
}
