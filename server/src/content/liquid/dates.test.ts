import { afterEach, expect, it } from 'vitest'
import { offsetAt } from '../../platform/time/local-time.ts'
import { describeMistake, toMistake } from './mistake.ts'
import { createTemplateEngine, renderLiquid } from './template-engine.ts'

function render(source: string, variables: object, zone = 'UTC', locale = 'en'): string {
  const engine = createTemplateEngine('plain')
  const calendar = { locale, offsetAt: (at: number) => offsetAt(zone, at) }
  const globals = { values: {}, translate: () => '', calendar }
  return renderLiquid(engine, engine.parse(source), variables, globals)
}

const { TZ } = process.env
const moveServer = (zone: string | undefined) =>
  zone === undefined ? delete process.env.TZ : Object.assign(process.env, { TZ: zone })
afterEach(() => {
  moveServer(TZ)
})

const show = (at: unknown, zone: string) => render('{{ at | date: "%Y-%m-%d %H:%M %z" }}', { at }, zone)

it.each<[string, unknown, string, string]>([
  ['after midnight there', '2026-03-01T23:30:00Z', 'Europe/Berlin', '2026-03-02 00:30 +0100'],
  ['the day before there', '2026-03-01T03:30:00Z', 'America/New_York', '2026-02-28 22:30 -0500'],
  ['with odd minutes', '2026-03-01T23:30:00Z', 'Asia/Kathmandu', '2026-03-02 05:15 +0545'],
  ['a minute before summer time', '2026-03-29T00:59:00Z', 'Europe/Berlin', '2026-03-29 01:59 +0100'],
  ['when summer time begins', '2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29 03:00 +0200'],
  ['in the hour that comes twice', '2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 +0200'],
  ['in the second of these hours', '2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 +0100'],
  ['with an offset', '2026-03-01T23:30:00+09:00', 'Europe/Berlin', '2026-03-01 15:30 +0100'],
  ['as databases write it', '2026-03-01 23:30:00+00', 'Europe/Berlin', '2026-03-02 00:30 +0100'],
  ['as mails write it', 'Sun, 01 Mar 2026 23:30:00 GMT', 'Europe/Berlin', '2026-03-02 00:30 +0100'],
  [
    'as browsers write it',
    'Sun Mar 01 2026 23:30:00 GMT+0000 (UTC)',
    'Europe/Berlin',
    '2026-03-02 00:30 +0100',
  ],
  ['with the name of a zone', 'Mar 1, 2026 6:30 PM EST', 'Europe/Berlin', '2026-03-02 00:30 +0100'],
  ['in seconds', 1_772_407_800, 'Europe/Berlin', '2026-03-02 00:30 +0100'],
  ['in seconds, as a text', '1772407800', 'Europe/Berlin', '2026-03-02 00:30 +0100'],
  ['in seconds, in summer', 1_782_864_000, 'Europe/Berlin', '2026-07-01 02:00 +0200'],
  ['in seconds, as a text, in summer', '1782864000', 'Europe/Berlin', '2026-07-01 02:00 +0200'],
])('the date filter shows a moment by the reader’s clock: %s', (_what, at, zone, expected) => {
  expect(show(at, zone)).toBe(expected)
})

it('the date filter shows "now" by the reader’s clock', () => {
  expect(show('now', 'Asia/Tokyo')).toMatch(/\+0900$/)
})

it.each(['America/New_York', 'UTC', 'Pacific/Auckland'])(
  'a reader in %s sees a date without a time zone as written',
  zone => {
    expect(show('2026-03-01', zone)).toBe('2026-03-01 00:00 +0000')
    expect(show('2026-03-01T23:30', zone)).toBe('2026-03-01 23:30 +0000')
    expect(show('2026-03-01 23:30:15.5', zone)).toBe('2026-03-01 23:30 +0000')
    expect(show('soon', zone)).toBe('soon')
    expect(show(null, zone)).toBe('')
  },
)

it.each(['America/Los_Angeles', 'UTC', 'Europe/Berlin', 'Pacific/Auckland'])(
  'a server in %s shows a date without a time zone as written',
  zone => {
    moveServer(zone)
    expect(new Date(2026, 2, 1, 12).getTimezoneOffset() === 0).toBe(zone === 'UTC')
    for (const day of ['2026-03-01', '2026/03/01', '2026-3-1', 'March 1, 2026', '1 Mar 2026', '3/1/2026'])
      expect(show(day, 'Asia/Tokyo')).toBe('2026-03-01 00:00 +0000')
    for (const time of ['2026-03-01T10:00', 'Sun, 01 Mar 2026 10:00:00', 'Mar 1 2026 10:00 am'])
      expect(show(time, 'Asia/Tokyo')).toBe('2026-03-01 10:00 +0000')
    expect(show('March 1, 2026 GMT', 'Asia/Tokyo')).toBe('2026-03-01 00:00 +0000')
    expect(show('2026-03-01T10:00:00Z', 'Asia/Tokyo')).toBe('2026-03-01 19:00 +0900')
    expect(show('some day', 'Asia/Tokyo')).toBe('some day')
  },
)

it('a time zone in the template wins over the reader’s', () => {
  const at = '2026-03-01T23:30:00Z'
  expect(render('{{ at | date: "%H:%M", "Asia/Tokyo" }}', { at }, 'Europe/Berlin')).toBe('08:30')
  let mistake = ''
  try {
    render('{{ at | date: "%H:%M", "Mars/Olympus" }}', { at })
  } catch (error) {
    mistake = describeMistake(toMistake(error))
  }
  expect(mistake).toMatch(/there is no time zone "Mars\/Olympus"/)
})

it('the date filter writes months and days in the reader’s language', () => {
  const at = '2026-03-01T23:30:00Z'
  const source =
    '{{ at | date: "%A, %d. %B" }} | {{ at | date_to_long_string }} | {{ at | date_to_xmlschema }}'
  expect(render(source, { at }, 'Europe/Berlin', 'de')).toBe(
    'Montag, 02. März | 02 März 2026 | 2026-03-02T00:30:00+01:00',
  )
})

it('the render limit stops endless dates', () => {
  const source = '{% for i in (1..100000) %}{{ "2026-01-01T00:00:00Z" | date: "%A %B" }}{% endfor %}'
  expect(() => render(source, {}, 'Europe/Berlin', 'de')).toThrow(/memory alloc limit|render limit/)
})
