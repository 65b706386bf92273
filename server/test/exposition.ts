/**
 * A strict reader of the Prometheus text format: refuses everything that `promtool check metrics` refuses, so that the
 * tests need no such program.
 */

export interface Family {
  type: string
  help: string
  /** Values by series, written as in the text: `name{label="value"}`. */
  series: Map<string, number>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\n"])*"'
// NaN in any case, as Go reads it.
const SAMPLE = new RegExp(`^(${NAME})(\\{${LABEL}(?:,${LABEL})*\\})? ([Nn]a[Nn]|[+-]?(?:Inf|[0-9.e+-]+))$`)
const HEADER = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`)
const PARTS = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] }
/** Units that have a base unit, and words that say the type. */
const UNWELCOME =
  /_(ms|milliseconds?|minutes?|hours?|days?|kb|mb|kilobytes|megabytes|percent|gauge|counter|histogram)(_|$)/

export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family>()
  let current = ''
  for (const line of text.split('\n').filter(line => line !== '')) {
    const [, kind, name = '', rest = ''] = HEADER.exec(line) ?? []
    if (kind === 'HELP') {
      if (families.has(name)) throw new Error(`${name} comes twice`)
      families.set(name, { help: rest, type: '', series: new Map() })
      current = name
    } else if (kind === 'TYPE') {
      if (name !== current || families.get(name)!.type !== '') throw new Error(`wrong place: ${line}`)
      families.get(name)!.type = rest
    } else readSample(line, current, families.get(current))
  }
  for (const [name, family] of families) refuseBadFamily(name, family)
  return families
}

function readSample(line: string, name: string, family: Family | undefined): void {
  const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
  const suffixes = PARTS[family?.type as keyof typeof PARTS] ?? ['']
  if (!suffixes.some(suffix => sample === name + suffix)) throw new Error(`not a sample of ${name}: ${line}`)
  const key = sample + labels
  if (family!.series.has(key)) throw new Error(`${key} comes twice`)
  family!.series.set(key, Number(value.replace('Inf', 'Infinity')))
}

function refuseBadFamily(name: string, { type, series }: Family): void {
  if (!['counter', 'gauge', 'histogram', 'summary'].includes(type)) throw new Error(`${name} has no type`)
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} must not be a ${type}`)
  if (/_(count|sum|bucket)$/.test(name)) throw new Error(`${name} looks like a part of a histogram`)
  if (UNWELCOME.test(name)) throw new Error(`${name} has no base unit`)
  for (const [key, value] of series)
    if (type === 'counter' && !(value >= 0)) throw new Error(`${key} counts to ${value}`)
  if (type === 'histogram') refuseBadBuckets(name, series)
}

/** Buckets grow, and the last one has everything. */
function refuseBadBuckets(name: string, series: Family['series']): void {
  const last = new Map<string, { le: number; count: number }>()
  for (const [key, count] of series) {
    if (!key.startsWith(`${name}_bucket`)) continue
    const le = /le="([^"]+)"/.exec(key)?.[1]?.replace('Inf', 'Infinity')
    const rest = key
      .slice(`${name}_bucket`.length)
      .replace(/,?le="[^"]+"/, '')
      .replace('{,', '{')
      .replace('{}', '')
    const before = last.get(rest) ?? { le: -Infinity, count: 0 }
    if (!(Number(le) > before.le && count >= before.count)) throw new Error(`${key} does not grow`)
    last.set(rest, { le: Number(le), count })
  }
  for (const [rest, { le, count }] of last)
    if (le !== Infinity || series.get(`${name}_count${rest}`) !== count) throw new Error(`${name} lacks +Inf`)
}
