/**
 * Groups work by back-pressure: whatever gathered while the last flush ran goes out with the next one. There is no
 * timer, so an idle system answers at once and a busy one batches by itself (measured: a 2 ms window only adds latency).
 */

export interface BatcherOptions<Item, Answer> {
  /** Handles all items at once and answers in the same order. */
  flush: (items: Item[]) => Promise<Answer[]>
  maxBatch: number | (() => number)
  /** Flushes that may run at the same time. */
  slots?: number | (() => number)
  /** While one flush runs, another starts only when this many items wait: small ones would pay the fixed cost more often. */
  overlapFrom?: number
  /** When a batch fails with such an error, its items are tried one by one, so that only the one at fault fails. */
  isolates?: (error: unknown) => boolean
  /** Such an error may come from one item or hit them all. When a second item fails with it, the rest is not tried. */
  isShared?: (error: unknown) => boolean
  /** Items of one key are flushed in the order in which they were added, never at the same time; undefined: any order. */
  orderOf?: (item: Item) => string | undefined
  onFlush?: (size: number) => void
}

export interface Batcher<Item, Answer> {
  add(item: Item): Promise<Answer>
  /** Resolves when everything added so far is settled. */
  drained(): Promise<void>
}

interface Entry<Item, Answer> {
  item: Item
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

export function createBatcher<Item, Answer>(options: BatcherOptions<Item, Answer>): Batcher<Item, Answer> {
  const { flush, maxBatch, slots = 1, overlapFrom = 1, onFlush = () => {} } = options
  const { isolates = () => false, isShared = () => false, orderOf = () => undefined } = options
  let waiting: Entry<Item, Answer>[] = []
  /** The keys of items that are being flushed. */
  const busy = new Set<string>()
  let running = 0
  let scheduled = false
  let idleListeners: (() => void)[] = []

  function mayRun(): boolean {
    return (
      running < (typeof slots === 'number' ? slots : slots()) &&
      waiting.length >= (running === 0 ? 1 : overlapFrom)
    )
  }

  function schedule(): void {
    if (scheduled || !mayRun()) return
    scheduled = true
    // Waiting one turn of the event loop lets requests that arrive together share the first batch.
    setImmediate(() => {
      scheduled = false
      while (mayRun()) {
        const batch = takeBatch()
        if (batch.length === 0) return
        void run(batch)
      }
    })
  }

  function takeBatch(): Entry<Item, Answer>[] {
    const most = typeof maxBatch === 'number' ? maxBatch : maxBatch()
    if (busy.size === 0) return waiting.splice(0, most)
    const batch: Entry<Item, Answer>[] = []
    const left: Entry<Item, Answer>[] = []
    for (const entry of waiting) {
      const isFree = batch.length < most && !busy.has(orderOf(entry.item) ?? '')
      ;(isFree ? batch : left).push(entry)
    }
    waiting = left
    return batch
  }

  async function run(batch: Entry<Item, Answer>[]): Promise<void> {
    running++
    onFlush(batch.length)
    const keys = batch.map(({ item }) => orderOf(item)).filter(key => key !== undefined)
    for (const key of keys) busy.add(key)
    await settle(batch)
    for (const key of keys) busy.delete(key)
    running--
    if (running === 0 && waiting.length === 0) {
      for (const listener of idleListeners) listener()
      idleListeners = []
    }
    schedule()
  }

  /** Returns the error that the batch failed with. */
  async function settle(batch: Entry<Item, Answer>[]): Promise<unknown> {
    try {
      const answers = await flush(batch.map(entry => entry.item))
      batch.forEach((entry, i) => {
        entry.resolve(answers[i] as Answer)
      })
      return undefined
    } catch (error) {
      if (batch.length > 1 && isolates(error)) await settleOneByOne(batch)
      else for (const entry of batch) entry.reject(error)
      return error
    }
  }

  async function settleOneByOne(batch: Entry<Item, Answer>[]): Promise<void> {
    let shared = 0
    for (const [i, entry] of batch.entries()) {
      const error = await settle([entry])
      if (error === undefined || !isShared(error) || ++shared < 2) continue
      for (const rest of batch.slice(i + 1)) rest.reject(error)
      return
    }
  }

  return {
    add: item =>
      new Promise<Answer>((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        schedule()
      }),
    drained: () =>
      running === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise<void>(resolve => idleListeners.push(resolve)),
  }
}
