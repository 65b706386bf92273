/** PostgreSQL says when send_at_local is, Node when digests and quiet hours are: both must mean the same moment. */
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { instantAt } from './local-time.ts'
import { type WallTimeCase, wallTimeCases, ZONES } from './wall-clock.fixture.ts'

const carillon = useCarillon()

async function inSql(cases: { zone: string; wall: string }[]): Promise<Date[]> {
  const { rows } = await carillon.pool.query<{ at: Date }>(
    'select local_time(wall, zone) as at from unnest($1::text[], $2::text[]) with ordinality as c (wall, zone, n) order by n',
    [cases.map(each => each.wall), cases.map(each => each.zone)],
  )
  return rows.map(row => row.at)
}

const inNode = ({ zone, wall }: { zone: string; wall: string }): Date =>
  new Date(instantAt(zone, Date.parse(`${wall}Z`)))

async function expectInBoth(cases: WallTimeCase[]): Promise<void> {
  const told = await inSql(cases)
  const wrong = cases
    .map((each, i) => ({ ...each, sql: told[i]!, node: inNode(each) }))
    .filter(({ at, sql, node }) => sql.getTime() !== at.getTime() || node.getTime() !== at.getTime())
  expect(wrong).toEqual([])
}

it('SQL and TypeScript mean the same moment around every change of every zone’s clock', {
  tags: 'S002-5',
}, async () => {
  // Years whose rules are settled: Node and PostgreSQL bring data of different age, and those of Moldova since 2022 were
  // corrected in 2026. In 2011 Samoa left out a day.
  const cases = wallTimeCases([2011, 2016, 2019])
  expect(cases.length).toBeGreaterThan(3000)
  await expectInBoth(cases)
})

it('and at ordinary times, in every zone', { tags: 'S002-5' }, async () => {
  const cases = ZONES.flatMap(zone =>
    ['2019-01-15T00:00', '2024-07-01T12:00', '2024-07-01T12:00:30'].map(wall => ({ zone, wall })),
  )
  expect(await inSql(cases)).toEqual(cases.map(inNode))
})

it.each<[string, WallTimeCase]>([
  [
    'in small letters',
    { zone: 'europe/berlin', wall: '2024-07-01T12:00', at: new Date('2024-07-01T10:00Z') },
  ],
  ['by an old name', { zone: 'Asia/Calcutta', wall: '2024-07-01T12:00', at: new Date('2024-07-01T06:30Z') }],
  [
    'by an offset that has a name',
    { zone: 'Etc/GMT+5', wall: '2024-07-01T12:00', at: new Date('2024-07-01T17:00Z') },
  ],
  [
    'that nobody knows',
    { zone: 'Mars/Olympus', wall: '2024-07-01T12:00', at: new Date('2024-07-01T12:00Z') },
  ],
  ['that is empty', { zone: '', wall: '2024-07-01T12:00', at: new Date('2024-07-01T12:00Z') }],
])('a zone %s is the same in both', { tags: 'S002-5' }, async (_name, each) => {
  await expectInBoth([each])
})

it('a zone that is an offset means the same in both, where this Node knows such', async () => {
  const known = ['+05:30', '-03:00'].filter(isKnown)
  const cases = known.map(zone => ({ zone, wall: '2024-07-01T12:00' }))
  expect(await inSql(cases)).toEqual(cases.map(inNode))
})

function isKnown(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}
