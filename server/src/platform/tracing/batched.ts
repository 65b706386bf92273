/** Traces work that many share: each item has a span of its own, and the statement for all of them one that is linked with each. */
import type { Attributes } from '@opentelemetry/api'
import { activeSpan } from './active-span.ts'
import type { OpenSpan } from './tracing.ts'

export interface BatchNames<Item> {
  item: string
  batch: string
  attributesOf: (item: Item) => Attributes
}

export function traceBatches<Item extends { traceparent: string }>(names: BatchNames<Item>) {
  const spans = new WeakMap<Item, OpenSpan>()
  return {
    /** What is stored of the item continues its span. */
    async submit<T>(item: Item, submit: (item: Item) => Promise<T>): Promise<T> {
      const caller = activeSpan()
      if (caller === undefined) return submit(item)
      const attributes = names.attributesOf(item)
      const options = { kind: 'producer', parent: item.traceparent, attributes } as const
      return caller.child(names.item, options, span => {
        const traced = { ...item, traceparent: span.traceparent }
        spans.set(traced, span)
        return submit(traced)
      })
    },
    flush<Answer>(flush: (items: Item[]) => Promise<Answer[]>): (items: Item[]) => Promise<Answer[]> {
      return items => {
        const members = items.flatMap(item => spans.get(item) ?? [])
        const [first] = members
        return first === undefined ? flush(items) : first.batch(names.batch, members, () => flush(items))
      }
    },
  }
}
