import { expect, it } from 'vitest'
import { useFigures } from './figures.fixture.ts'
import { addTo, bucketOf, type Histogram, percentileOf } from './histogram.ts'

const { carillon } = useFigures()

/** What the database makes of these times. */
async function histogramOf(times: number[]): Promise<Histogram> {
  const { rows } = await carillon.pool.query(
    `select ${bucketOf('t')} as bucket, count(*)::integer as count from unnest($1::numeric[]) t group by 1`,
    [times],
  )
  const histogram: Histogram = new Map()
  addTo(
    histogram,
    rows.map(row => row.bucket),
    rows.map(row => row.count),
  )
  return histogram
}

/** The time that at least this share does not exceed, of the times themselves. */
const exactly = (times: number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.max(0, Math.ceil(share * times.length) - 1)]!

/** Repeatable, so that a failure can be looked at. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

const DISTRIBUTIONS: [string, (random: () => number) => number][] = [
  ['all the same', () => 137],
  ['even', random => 1 + Math.floor(random() * 2000)],
  ['by orders of magnitude', random => Math.floor(10 ** (random() * 7))],
  ['with a long tail', random => Math.floor(80 / (1 - 0.9999 * random()))],
  ['of two providers', random => (random() < 0.9 ? 40 + random() * 20 : 5000 + random() * 900)],
]

it.each(DISTRIBUTIONS)(
  'percentiles from a histogram are within 19 percent of the exact ones if times are %s',
  async (_name, timeOf) => {
    for (const count of [1, 7, 100, 5000]) {
      const random = randomNumbers(count)
      const times = Array.from({ length: count }, () => timeOf(random))
      const histogram = await histogramOf(times)
      for (const share of [0.5, 0.95]) {
        const [found, exact] = [percentileOf(histogram, share)!, exactly(times, share)]
        // a bucket, and the rounding to whole milliseconds
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * (2 ** 0.25 - 1) + 0.5)
      }
    }
  },
)

it('the sum of two histograms is the histogram of all their times', async () => {
  const [fast, slow] = [
    [3, 5, 8, 13],
    [2100, 3400, 5500],
  ]
  const sum = await histogramOf(fast)
  const other = await histogramOf(slow)
  addTo(sum, [...other.keys()], [...other.values()])
  expect(sum).toEqual(await histogramOf([...fast, ...slow]))
})

it('the percentile of no times is null, and a percentile is a day at most', async () => {
  expect(percentileOf(new Map(), 0.5)).toBeNull()
  expect(percentileOf(await histogramOf([0, 0]), 0.95)).toBeLessThanOrEqual(1)
  expect(percentileOf(await histogramOf([10 ** 10]), 0.5)).toBe(86_400_000)
})
