/** Small text charts: a sparkline for values over time, a bar for a share. */

const HEIGHTS = '▁▂▃▄▅▆▇█'
const EIGHTHS = ' ▏▎▍▌▋▊▉'

/** One block per value, the largest at full height; the lowest block means zero. */
export function sparkline(values: number[]): string {
  const largest = Math.max(0, ...values)
  return values.map(value => HEIGHTS[heightOf(value, largest)]).join('')
}

/** Anything above zero stays visible: it gets at least the second block. */
function heightOf(value: number, largest: number): number {
  return value <= 0 ? 0 : Math.max(1, Math.round((value / largest) * (HEIGHTS.length - 1)))
}

/** As long as its share of the width, to an eighth of a character; anything above zero stays visible. */
export function bar(value: number, largest: number, width: number): string {
  if (value <= 0 || largest <= 0) return ''
  const eighths = Math.max(1, Math.round((value / largest) * width * 8))
  return ('█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]).trimEnd()
}
