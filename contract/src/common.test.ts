import { describe, expect, it } from 'vitest'
import { EmailAddress, Name, Timestamp } from './common.ts'

describe('a time', () => {
  it.each([
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.123Z',
    '2026-01-31T09:30:00.123456+05:30',
    '2024-02-29T00:00:00-15:59',
    '9999-12-31T23:59:59Z',
  ])('may be %s', text => {
    expect(Timestamp.safeParse(text).success).toBe(true)
  })

  it.each([
    ['no zone', '2026-01-31T09:30:00'],
    ['no time', '2026-01-31'],
    ['no such day', '2026-02-29T00:00:00Z'],
    ['no such hour', '2026-01-01T24:00:00Z'],
    ['no such year', '0000-01-01T00:00:00Z'],
    ['no such zone', '2026-01-01T00:00:00+16:00'],
    ['too many digits', `2026-01-01T00:00:00.${'1'.repeat(40)}Z`],
    ['a number', 1_700_000_000_000],
    ['words', 'tomorrow'],
  ])('is refused for %s, with an example', (_name, value) => {
    const messages = Timestamp.safeParse(value).error?.issues.map(issue => issue.message)
    expect(messages).toEqual([expect.stringContaining('2026-01-31T09:30:00Z')])
  })
})

describe('a name', () => {
  it.each(['x', 'Größe 😀', 'a/b:c', 'x'.repeat(10)])('may be %j', text => {
    expect(Name(10).safeParse(text).success).toBe(true)
  })

  it.each(['', 'x'.repeat(11), 'a\nb', 'a\u0000b', 'a\u007fb', 7])('may not be %j', value => {
    expect(Name(10).safeParse(value).success).toBe(false)
  })
})

describe('an email address', () => {
  it.each(['a@b.c\nBcc: d@e.f', '', `${'x'.repeat(254)}@b`])(
    'may not be %j, whatever else is asked of it',
    text => {
      expect(EmailAddress.safeParse(text).success).toBe(false)
    },
  )
})
