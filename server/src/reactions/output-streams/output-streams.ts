/**
 * Streams of the operator's own brokers, to which webhooks may be published instead of being called. Where the brokers are
 * is set by the environment; a tenant only says `stream:nats` or `stream:redis`, and gets a subject or key of its own.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { STREAM_KINDS, type StreamKind } from '@carillon/contract'
import { createNatsOutput } from './nats-output.ts'
import { type OutputStream, type StreamMessage, TooLarge, unless } from './output-stream.ts'
import { createRedisOutput } from './redis-output.ts'

/** Without `retryMs` it will not arrive later either. */
export type Published =
  | { arrived: true; answer: string }
  | { arrived: false; error: string; retryMs: number | undefined }

export interface OutputStreams {
  has(kind: StreamKind): boolean
  /** Never rejects. */
  publish(kind: StreamKind, message: StreamMessage, signal: AbortSignal): Promise<Published>
  close(): Promise<void>
}

export interface OutputOptions {
  /** '' = there is none. */
  natsUrl?: string
  redisUrl?: string
  /** What subjects, streams and keys begin with. */
  name?: string
  /** About how many entries a stream in Redis keeps; 0 = all. */
  redisMaxEntries?: number
  /** Longest wait for the answer of a broker. */
  answerTimeoutMs?: number
  onPublished?: (kind: StreamKind, arrived: boolean) => void
  onLost?: (kind: StreamKind, error: Error) => void
  onBack?: (kind: StreamKind) => void
}

/** Another process, or this one after a restart, may have the setting. */
const NOT_SET_UP_MS = 15_000
/**
 * A message that failed keeps its slot for this long, and then comes back after as long as the broker has been away:
 * while it is, a backlog of any length costs the database a few rows per second.
 */
const HELD_MS = 1000
const LONGEST_WAIT_MS = 30_000
const ANSWER_TIMEOUT_MS = 5000

export function createOutputStreams(options: OutputOptions): OutputStreams {
  const { natsUrl = '', redisUrl = '', name = 'carillon', redisMaxEntries: maxEntries = 0 } = options
  const { answerTimeoutMs: timeoutMs = ANSWER_TIMEOUT_MS } = options
  const streams: Partial<Record<StreamKind, OutputStream>> = {
    ...(natsUrl !== '' && { nats: createNatsOutput({ urls: natsUrl, name, timeoutMs }) }),
    ...(redisUrl !== '' && { redis: createRedisOutput({ url: redisUrl, name, maxEntries, timeoutMs }) }),
  }
  const lostSinceMs: Partial<Record<StreamKind, number>> = {}

  function succeeded(kind: StreamKind, answer: string): Published {
    if (lostSinceMs[kind] !== undefined) options.onBack?.(kind)
    delete lostSinceMs[kind]
    options.onPublished?.(kind, true)
    return { arrived: true, answer }
  }

  function failed(kind: StreamKind, error: Error): Published {
    if (lostSinceMs[kind] === undefined) options.onLost?.(kind, error)
    const since = lostSinceMs[kind] ?? Date.now()
    lostSinceMs[kind] = since
    options.onPublished?.(kind, false)
    const retryMs = Math.min(Math.max(Date.now() - since, HELD_MS), LONGEST_WAIT_MS)
    return { arrived: false, error: `${NAMES[kind]} did not take it: ${error.message}`, retryMs }
  }

  return {
    has: kind => streams[kind] !== undefined,
    async publish(kind, message, signal) {
      const stream = streams[kind]
      if (stream === undefined)
        return { arrived: false, error: `${NAMES[kind]} is not set up here.`, retryMs: NOT_SET_UP_MS }
      try {
        return succeeded(kind, await unless(signal, () => stream.publish(message)))
      } catch (error) {
        // Whether it arrived is not known; it is published again, under the same id.
        if (signal.aborted) return { arrived: false, error: 'The process is stopping.', retryMs: 0 }
        if (error instanceof TooLarge) return { arrived: false, error: error.message, retryMs: undefined }
        await wait(HELD_MS, undefined, { signal }).catch(() => {})
        return failed(kind, error as Error)
      }
    },
    close: async () => {
      await Promise.all(Object.values(streams).map(stream => stream.close()))
    },
  }
}

const NAMES: Record<StreamKind, string> = { nats: 'NATS', redis: 'Redis' }

/** The stream that the address of a webhook means; undefined if it is one of HTTP. */
export function streamOf(url: string): StreamKind | undefined {
  return STREAM_KINDS.find(kind => url === `stream:${kind}`)
}
