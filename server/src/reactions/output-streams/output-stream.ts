/** One broker, and what is published to it. */

export interface StreamMessage {
  tenantId: string
  eventType: string
  /** The same for every attempt, so that a broker which compares ids keeps one of them. */
  id: string
  headers: Record<string, string>
  body: string
}

/** The broker takes no message of this size. */
export class TooLarge extends Error {}

export interface OutputStream {
  /** Resolves when the broker has it, with what it answered. */
  publish(message: StreamMessage): Promise<string>
  close(): Promise<void>
}

/** Waits no longer than the signal allows. What has become of the work is then not known. */
export async function unless<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}
