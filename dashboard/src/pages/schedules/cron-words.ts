/** A cron expression in words, where words are shorter than what it means. */
const NAMED: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** Empty if it is too involved to be said, or wrong. */
export function sayCron(expression: string): string {
  const fields = (NAMED[expression.trim()] ?? expression).trim().split(/\s+/)
  if (fields.length !== 5) return ''
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string]
  const time = sayTimes(minute, hour)
  const days = sayDays(day, weekday)
  const months = month === '*' ? '' : list(month, value => MONTHS[nameIndex(value, MONTHS, 1)])
  if (time === undefined || days === undefined || months === undefined) return ''
  const isRepeated = !time.startsWith('at')
  const when = days || (isRepeated ? '' : 'every day')
  return capital(
    [isRepeated ? time : '', when, months && `in ${months}`, isRepeated ? '' : time]
      .filter(Boolean)
      .join(' '),
  )
}

function sayTimes(minute: string, hour: string): string | undefined {
  const every = /^\*\/(\d+)$/.exec(minute)?.[1]
  if (minute === '*' && hour === '*') return 'every minute'
  if (every !== undefined) {
    const often = every === '1' ? 'every minute' : `every ${every} minutes`
    if (hour === '*') return often
    const [, from, to] = /^(\d+)-(\d+)$/.exec(hour) ?? []
    return from === undefined ? undefined : `${often} from ${pad(from)}:00 to ${pad(to!)}:59`
  }
  if (!/^\d+(,\d+)*$/.test(minute)) return undefined
  const minutes = minute.split(',')
  if (hour === '*')
    return minutes.length > 1 || minute !== '0'
      ? `every hour at ${join(minutes.map(each => `:${pad(each)}`))}`
      : 'every hour'
  const everyHours = /^\*\/(\d+)$/.exec(hour)?.[1]
  if (everyHours !== undefined)
    return minute === '0' ? `every ${everyHours} hours` : `every ${everyHours} hours at :${pad(minute)}`
  const range = /^(\d+)-(\d+)$/.exec(hour)
  if (range && minutes.length === 1)
    return `every hour from ${pad(range[1]!)}:${pad(minute)} to ${pad(range[2]!)}:${pad(minute)}`
  if (!/^\d+(,\d+)*$/.test(hour) || minutes.length * hour.split(',').length > 6) return undefined
  return `at ${join(hour.split(',').flatMap(h => minutes.map(m => `${pad(h)}:${pad(m)}`)))}`
}

function sayDays(day: string, weekday: string): string | undefined {
  const ofMonth =
    day === '*' || day === '?'
      ? ''
      : list(day, value => (/^\d+$/.test(value) ? ordinal(Number(value)) : undefined))
  const ofWeek = weekday === '*' || weekday === '?' ? '' : sayWeekdays(weekday)
  if (ofMonth === undefined || ofWeek === undefined) return undefined
  const monthly = ofMonth && `on the ${ofMonth}`
  return [monthly, ofWeek].filter(Boolean).join(' and ')
}

function sayWeekdays(text: string): string | undefined {
  if (/^(1-5|mon-fri)$/i.test(text)) return 'on weekdays'
  if (/^(0,6|6,0|6,7|sat,sun)$/i.test(text)) return 'on weekends'
  const said = list(text, value => DAYS[nameIndex(value, DAYS, 0) % 7])
  return said === undefined ? undefined : text.includes('-') ? `from ${said}` : `every ${said}`
}

/** Names joined; a range as “from to”. */
function list(text: string, say: (value: string) => string | undefined): string | undefined {
  const parts = text.split(',').map(part => {
    const ends = part.split('-').map(say)
    return ends.length > 2 || ends.includes(undefined) ? undefined : ends.join(' to ')
  })
  return parts.includes(undefined) ? undefined : join(parts as string[])
}

function nameIndex(value: string, names: string[], first: number): number {
  if (/^\d+$/.test(value)) return Number(value) - first
  const found = names.findIndex(name => name.slice(0, 3).toLowerCase() === value.toLowerCase())
  return found < 0 ? Number.NaN : found
}

function ordinal(day: number): string {
  const ending = day % 100 >= 11 && day % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}

const pad = (value: string) => value.padStart(2, '0')
const join = (parts: string[]) =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
