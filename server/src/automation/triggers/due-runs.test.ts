import { describe, expect, it } from 'vitest'
import { type CronTimes, dueRuns } from './due-runs.ts'

const times = (more: Partial<CronTimes> & { next_run_at: Date }): CronTimes => ({
  cron: '* * * * *',
  timezone: 'UTC',
  misfire_policy: 'run_once',
  ...more,
})
const at = (text: string) => new Date(`2026-03-10T${text}Z`)
const ask = (cron: Partial<CronTimes> & { next_run_at: Date }, now: Date) => {
  const { runs, next } = dueRuns(times(cron), now)
  return { runs: runs.map(run => run.toISOString()), next: next?.toISOString() ?? null }
}

describe('a run that is due', () => {
  it.each(['run_once', 'run_all', 'skip'] as const)('happens once, under %s', misfire_policy => {
    expect(ask({ misfire_policy, next_run_at: at('12:00:00') }, at('12:00:00.250'))).toEqual({
      runs: ['2026-03-10T12:00:00.000Z'],
      next: '2026-03-10T12:01:00.000Z',
    })
  })
})

it.each(['run_once', 'run_all', 'skip'] as const)(
  'a run that is due this very moment happens, under %s',
  policy => {
    expect(ask({ misfire_policy: policy, next_run_at: at('12:00:00') }, at('12:00:00'))).toEqual({
      runs: ['2026-03-10T12:00:00.000Z'],
      next: '2026-03-10T12:01:00.000Z',
    })
  },
)

describe('runs that were missed', () => {
  const next_run_at = at('12:00:00')

  it('become one under run_once, and the next is in the future', () => {
    expect(ask({ next_run_at }, at('15:30:10'))).toEqual({
      runs: ['2026-03-10T12:00:00.000Z'],
      next: '2026-03-10T15:31:00.000Z',
    })
  })

  it('all happen under run_all', () => {
    expect(ask({ misfire_policy: 'run_all', next_run_at }, at('12:02:30'))).toEqual({
      runs: ['2026-03-10T12:00:00.000Z', '2026-03-10T12:01:00.000Z', '2026-03-10T12:02:00.000Z'],
      next: '2026-03-10T12:03:00.000Z',
    })
  })

  it('happen at most a hundred times under run_all', () => {
    const { runs, next } = ask({ misfire_policy: 'run_all', next_run_at }, at('23:59:30'))
    expect([runs.length, runs.at(-1)]).toEqual([100, '2026-03-10T13:39:00.000Z'])
    expect(next).toBe('2026-03-11T00:00:00.000Z')
  })

  it('do not happen under skip if they are more than a minute late', () => {
    const hourly = { cron: '0 * * * *', misfire_policy: 'skip', next_run_at } as const
    expect(ask(hourly, at('12:01:00')).runs).toEqual(['2026-03-10T12:00:00.000Z'])
    expect(ask(hourly, at('12:01:00.001'))).toEqual({ runs: [], next: '2026-03-10T13:00:00.000Z' })
    expect(ask(hourly, at('15:30:00'))).toEqual({ runs: [], next: '2026-03-10T16:00:00.000Z' })
  })

  it('happen under skip if they are not late, though others before them are', () => {
    const hourly = { cron: '0 * * * *', misfire_policy: 'skip', next_run_at } as const
    expect(ask(hourly, at('15:00:30'))).toEqual({
      runs: ['2026-03-10T15:00:00.000Z'],
      next: '2026-03-10T16:00:00.000Z',
    })
  })
})

describe('clock changes', () => {
  const zone = { timezone: 'Europe/Berlin', cron: '30 2 * * *', misfire_policy: 'run_all' } as const

  it('run what the clock skips when it has jumped', () => {
    const next_run_at = new Date('2026-03-28T01:30:00Z')
    expect(ask({ ...zone, next_run_at }, new Date('2026-03-30T12:00:00Z'))).toEqual({
      runs: ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
      next: '2026-03-31T00:30:00.000Z',
    })
  })

  it('run what the clock repeats once', () => {
    const next_run_at = new Date('2026-10-24T00:30:00Z')
    expect(ask({ ...zone, next_run_at }, new Date('2026-10-26T12:00:00Z'))).toEqual({
      runs: ['2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
      next: '2026-10-27T01:30:00.000Z',
    })
  })
})
