/**
 * Rates of several variants, measured in interleaved rounds. Variations of the machine affect all variants of a round
 * alike, so ratios are computed per round and their median counts; absolute numbers of different runs do not compare.
 */

export type Rates<Variant extends string> = Record<Variant, number[]>

export interface Ratio {
  /** Of the per-round ratios. */
  median: number
  /** The best round of one over the best round of the other: what both reach when least disturbed. */
  best: number
}

export interface RoundsOptions<Variant extends string> {
  rounds: number
  variants: readonly Variant[]
  /** One measurement, per second. */
  measure: (variant: Variant, round: number) => Promise<number>
  tell: (line: string) => void
}

export async function measureRounds<Variant extends string>(
  options: RoundsOptions<Variant>,
): Promise<Rates<Variant>> {
  const { rounds, variants, measure, tell } = options
  const rates = Object.fromEntries(variants.map(variant => [variant, [] as number[]])) as Rates<Variant>
  for (let round = 0; round < rounds; round++) {
    // Every second round runs backwards: the first variant finds a quieter machine, or a colder one.
    for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
      rates[variant].push(await measure(variant, round))
    }
    const line = variants.map(variant => `${variant} ${formatRate(rates[variant][round]!)}`)
    tell(`round ${round + 1}/${rounds}: ${line.join(', ')}`)
  }
  return rates
}

export function ratioOf(measured: number[], anchor: number[]): Ratio {
  return {
    median: median(measured.map((rate, round) => rate / anchor[round]!)),
    best: Math.max(...measured) / Math.max(...anchor),
  }
}

export function median(values: number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = share * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(middle)]!, sorted[Math.ceil(middle)]!]
  return below + (above - below) * (middle - Math.floor(middle))
}

export const formatRate = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`
