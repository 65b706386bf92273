import { beforeEach, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { instantAt } from './local-time.ts'
import { changesOf, type OffsetChange, shareZoneRules } from './zone-rules.ts'

const database = useDatabase()
const HOUR = 3_600_000
const NOW = new Date('2026-11-01T12:00:00Z')
const localTime = async (wall: string, zone: string): Promise<string> => {
  const { rows } = await database.pool.query('select local_time($1, $2) as at', [wall, zone])
  return rows[0].at.toISOString()
}

/** As if a new version of the data said that Berlin stays on summer time. */
function newRules(zone: string, from: number, to: number): OffsetChange[] {
  return zone === 'Europe/Berlin' ? [{ at: from, offset: 2 * HOUR }] : changesOf(zone, from, to)
}

beforeEach(() => database.pool.query('delete from time_zones'))

describe('the rules of time zones', () => {
  it('of this Node are given to PostgreSQL where it knows others, and then both mean the same moment', async () => {
    await shareZoneRules(database.pool, process.versions.tz ?? '', NOW)
    const again = await shareZoneRules(database.pool, process.versions.tz ?? '', NOW)
    expect(again).toEqual({ given: [], outdated: [] })
    for (const zone of ['America/Vancouver', 'Europe/Chisinau', 'America/Coyhaique', 'Africa/Casablanca'])
      for (const wall of ['2026-11-15T09:00', '2027-01-15T09:00', '2027-03-28T02:30', '2028-07-01T00:00'])
        expect([zone, wall, await localTime(wall, zone)]).toEqual([
          zone,
          wall,
          new Date(instantAt(zone, Date.parse(`${wall}Z`))).toISOString(),
        ])
  })

  it('that are new decide what send_at_local means, and are named', async () => {
    await shareZoneRules(database.pool, '2025c', NOW)
    expect(await localTime('2027-01-15T09:00', 'Europe/Berlin')).toBe('2027-01-15T08:00:00.000Z')
    const { given } = await shareZoneRules(database.pool, '2026a', NOW, newRules)
    expect(given).toEqual(['Europe/Berlin'])
    expect(await localTime('2027-01-15T09:00', 'Europe/Berlin')).toBe('2027-01-15T07:00:00.000Z')
    expect(await localTime('2027-01-15T09:00', 'Europe/Paris')).toBe('2027-01-15T08:00:00.000Z')
  })

  it('that are older than those of another process do not replace them', async () => {
    await shareZoneRules(database.pool, '2026a', NOW, newRules)
    const older = await shareZoneRules(database.pool, '2025c', NOW)
    expect(older).toEqual({ given: [], outdated: ['Europe/Berlin'] })
    expect(await localTime('2027-01-15T09:00', 'Europe/Berlin')).toBe('2027-01-15T07:00:00.000Z')
  })

  it('are found to the minute', () => {
    const [start, ...changes] = changesOf('Europe/Berlin', Date.UTC(2027, 0, 1), Date.UTC(2027, 11, 1))
    expect(start?.offset).toBe(HOUR)
    expect(changes).toEqual([
      { at: Date.parse('2027-03-28T01:00:00Z'), offset: 2 * HOUR },
      { at: Date.parse('2027-10-31T01:00:00Z'), offset: HOUR },
    ])
  })
})
