import { describe, expect, it } from 'vitest'
import {
  endOfPause,
  interrupts,
  isCategoryOn,
  isChannelOn,
  pausedUntil,
  quietHoursOf,
  withChanges,
} from './choices.ts'
import type { Settings } from './source.ts'

const channel = (settings: object) => ({
  enabled: null,
  frequency_cap: null,
  caps: null,
  quiet_hours: null,
  timezone: null,
  paused_until: null,
  ...settings,
})
const NIGHT = [{ start: '22:00', end: '08:00' }]
const SETTINGS: Settings = {
  user: { id: 'ada', locale: 'en', timezone: 'UTC' },
  channels: ['in_app', 'email', 'sms'],
  categories: [],
  preferences: {
    channels: { sms: channel({ enabled: true, quiet_hours: [] }) },
    categories: { news: { email: false } },
    reasons: {},
    digests: {},
  },
  defaults: {
    channels: {
      sms: channel({ enabled: false, quiet_hours: NIGHT }),
      email: channel({ quiet_hours: NIGHT }),
    },
    categories: { news: { email: true, sms: false } },
    reasons: {},
    digests: {},
  },
  web_push: { public_key: null },
}

describe('what applies', () => {
  it('is what the person chose, else the default, else on', () => {
    expect(['sms', 'email'].map(name => isChannelOn(SETTINGS, name as 'sms'))).toEqual([true, true])
    expect(['email', 'sms', 'push'].map(name => isCategoryOn(SETTINGS, 'news', name as 'sms'))).toEqual([
      false,
      false,
      true,
    ])
    expect(quietHoursOf(SETTINGS, 'email')).toEqual(NIGHT)
    expect(quietHoursOf(SETTINGS, 'sms')).toEqual([])
  })

  it('changes with a choice, which leaves the others as they were', () => {
    const changed = withChanges(SETTINGS, {
      channels: { sms: { enabled: false } },
      categories: { news: { sms: true } },
    })
    expect(isChannelOn(changed, 'sms')).toBe(false)
    expect(quietHoursOf(changed, 'sms')).toEqual([])
    expect(isCategoryOn(changed, 'news', 'sms')).toBe(true)
    expect(isCategoryOn(changed, 'news', 'email')).toBe(false)
  })
})

describe('a pause', () => {
  const now = new Date('2026-03-01T20:30:00')

  it('is over when the last channel goes on', () => {
    const until = (time: string) => ({ paused_until: time })
    const paused = withChanges(SETTINGS, {
      channels: { email: until('2026-03-02T00:00:00Z'), sms: until('2026-03-03T00:00:00Z') },
    })
    expect(pausedUntil(paused, Date.parse('2026-03-01T00:00:00Z'))).toEqual(new Date('2026-03-03T00:00:00Z'))
    expect(pausedUntil(paused, Date.parse('2026-03-04T00:00:00Z'))).toBeUndefined()
    expect(pausedUntil(SETTINGS, 0)).toBeUndefined()
  })

  it('ends in an hour, tomorrow morning or in a week', () => {
    expect(endOfPause('hour', now)).toEqual(new Date('2026-03-01T21:30:00'))
    expect(endOfPause('tomorrow', now)).toEqual(new Date('2026-03-02T08:00:00'))
    expect(endOfPause('week', now)).toEqual(new Date('2026-03-08T20:30:00'))
  })

  it('is for channels that interrupt people', () => {
    expect((['in_app', 'email', 'webhook', 'push'] as const).filter(interrupts)).toEqual(['email', 'push'])
  })
})
