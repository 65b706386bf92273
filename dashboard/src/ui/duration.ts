/** Times as people write them: 90 min, 2 h, 30 days. */
export const UNITS = [
  { name: 'ms', ms: 1 },
  { name: 'seconds', ms: 1000 },
  { name: 'minutes', ms: 60_000 },
  { name: 'hours', ms: 3_600_000 },
  { name: 'days', ms: 86_400_000 },
] as const
export type Unit = (typeof UNITS)[number]['name']

/** The largest unit in which it is a whole number. */
export function unitOf(ms: number): Unit {
  return UNITS.findLast(unit => ms > 0 && ms % unit.ms === 0)?.name ?? 'seconds'
}

export const msOf = (unit: Unit): number => UNITS.find(({ name }) => name === unit)!.ms

export function saySpan(ms: number): string {
  const unit = unitOf(ms)
  const count = ms / msOf(unit)
  return `${count.toLocaleString('en')} ${count === 1 && unit !== 'ms' ? unit.slice(0, -1) : unit}`
}
