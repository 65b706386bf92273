import { expect, it } from 'vitest'
import { type DatabaseState, type Standing, standingOf, type Version } from './release.ts'

const version: Version = {
  folder: '',
  release: { number: 5, compatible_since: 3, hash: 'five' },
  migrations: ['0001_a', '0002_b'],
  functions: [],
}
const OWN = ['0001_a', '0002_b']
const NEWER = [...OWN, '0003_c']
const of = (number: number, compatible_since: number, hash = 'other') => ({ number, compatible_since, hash })

it.each<[string, DatabaseState, Standing]>([
  ['an empty database', { applied: [], release: undefined }, 'older'],
  ['one whose first start died between two migrations', { applied: ['0001_a'], release: undefined }, 'older'],
  ['one without releases after a migrate down', { applied: OWN, release: undefined }, 'older'],
  ['the same release', { applied: OWN, release: of(5, 3, 'five') }, 'current'],
  ['the same release with a migration undone', { applied: ['0001_a'], release: of(5, 3, 'five') }, 'older'],
  ['a tree between releases', { applied: OWN, release: of(5, 3) }, 'older'],
  ['an older release', { applied: OWN, release: of(4, 3) }, 'older'],
  ['a newer release that works with ours', { applied: NEWER, release: of(6, 3) }, 'newer'],
  ['a newer release since ours', { applied: NEWER, release: of(9, 5) }, 'newer'],
  ['a newer release with our functions', { applied: OWN, release: of(6, 3, 'five') }, 'newer'],
  ['a newer release after ours', { applied: NEWER, release: of(6, 6) }, 'too_new'],
  ['a newer release of another line', { applied: ['0001_a', '0003_c'], release: of(6, 3) }, 'too_new'],
  ['unknown migrations of a newer one that died', { applied: NEWER, release: of(5, 3, 'five') }, 'too_new'],
  ['unknown migrations without releases', { applied: NEWER, release: undefined }, 'too_new'],
])('%s', (_name, database, standing) => {
  expect(standingOf(version, database)).toBe(standing)
})
