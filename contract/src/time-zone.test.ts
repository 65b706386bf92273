import { describe, expect, it } from 'vitest'
import { canonicalTimeZone, TIME_ZONES, TimeZone } from './time-zone.ts'

describe('a time zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['America/Godthab', 'America/Nuuk'],
    ['US/Eastern', 'America/New_York'],
    ['Japan', 'Asia/Tokyo'],
    ['CET', 'Europe/Brussels'],
    ['EET', 'Europe/Athens'],
    ['MET', 'Europe/Brussels'],
    ['WET', 'Europe/Lisbon'],
    ['PST8PDT', 'America/Los_Angeles'],
    ['Etc/UTC', 'UTC'],
    ['GMT', 'UTC'],
    ['Zulu', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('%s is stored as %s', (name, canonical) => {
    expect(TimeZone.parse(name)).toBe(canonical)
  })

  it.each([
    '',
    'IST',
    'AET',
    'ACT',
    'PST',
    'BST',
    '+05:30',
    'GMT+5',
    'Mars/Olympus',
    'SystemV/AST4ADT',
    'Etc/Unknown',
    'Factory',
  ])('"%s" is none that IANA names, and refused', name => {
    expect(TimeZone.safeParse(name).error?.issues[0]?.message).toMatch(/IANA time zone such as Europe/)
  })

  it('keeps its canonical name, whichever it is', () => {
    expect(TIME_ZONES.length).toBeGreaterThan(400)
    expect(TIME_ZONES.map(canonicalTimeZone)).toEqual(TIME_ZONES)
    expect(new Set(TIME_ZONES).size).toBe(TIME_ZONES.length)
  })
})
