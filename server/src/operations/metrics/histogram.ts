/**
 * Delivery times as a histogram, which can be summed where percentiles cannot. Buckets grow by a fourth root of two, about 19
 * percent, from a millisecond to a day: a percentile is off by at most that much, and usually by a few percent.
 */

/** How many buckets a doubling has. */
const PER_DOUBLING = 4
const DAY_MS = 86_400_000
/** Bucket 0 is below a millisecond; this one is a day and longer. */
const LAST_BUCKET = Math.floor(PER_DOUBLING * Math.log2(DAY_MS)) + 1

/** The columns: the buckets that have any, in order, and how many each has. */
export const HISTOGRAM = ['delivery_buckets', 'delivery_counts'] as const

/** From when a route was due until it was sent; with send_at, it was due then. */
export const deliveryMs = (route: string, sendAt = `${route}.send_at`): string =>
  `extract(epoch from ${route}.sent_at - greatest(${route}.created_at, ${sendAt})) * 1000`

export const bucketOf = (ms: string): string =>
  `case when ${ms} < 1 then 0
     else least(floor(${PER_DOUBLING} * ln((${ms})::float8) / ln(2::float8)) + 1, ${LAST_BUCKET}) end::smallint`

export type Histogram = Map<number, number>

export function addTo(sum: Histogram, buckets: number[], counts: number[]): void {
  for (const [n, bucket] of buckets.entries()) sum.set(bucket, (sum.get(bucket) ?? 0) + counts[n]!)
}

/** How long that share of deliveries took at most, in whole milliseconds; null if there were none. */
export function percentileOf(histogram: Histogram, share: number): number | null {
  const total = [...histogram.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = share * total
  let below = 0
  for (const [bucket, count] of [...histogram].sort(([a], [b]) => a - b)) {
    if (below + count >= rank) return Math.round(within(bucket, (rank - below) / count))
    below += count
  }
  return DAY_MS
}

/** As if the bucket's deliveries were spread evenly over it, by the same measure by which buckets grow. */
function within(bucket: number, share: number): number {
  if (bucket === 0) return share
  if (bucket === LAST_BUCKET) return DAY_MS
  return 2 ** ((bucket - 1 + share) / PER_DOUBLING)
}
