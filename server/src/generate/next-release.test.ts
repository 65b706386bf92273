import { describe, expect, it } from 'vitest'
import type { Sources } from '../platform/database/release.ts'
import { functionsIn, nextRelease } from './next-release.ts'

const sources = (body = '', migrations: Record<string, string> = { '0001_a.sql': '' }): Sources => ({
  functions: [{ file: 'f.sql', text: body }],
  migrations: Object.entries(migrations).map(([file, text]) => ({ file, text })),
})
const F = 'f(a jsonb) → integer'
const first = nextRelease(undefined, sources(), [F])

describe('the next release', () => {
  it('begins with 1, which works with nothing before it', () => {
    expect(first).toMatchObject({ number: 1, compatible_since: 1, breaking: '', functions: [F] })
  })

  it('is the same while nothing changed', () => {
    expect(nextRelease(first, sources(), [F])).toEqual(first)
  })

  it.each([
    ['a function', sources('changed')],
    ['a migration', sources('', { '0001_a.sql': '', '0002_b.sql': '' })],
  ])('counts up with %s, and processes of the one before go on', (_what, changed) => {
    expect(nextRelease(first, changed, [F])).toMatchObject({ number: 2, compatible_since: 1 })
  })

  it('ends compatibility with a migration that says so, once', () => {
    const breaking = { '0001_a.sql': '', '0002_b.sql': '-- Up Migration\n\n-- Breaking: renames routes.\n' }
    const second = nextRelease(first, sources('', breaking), [F])
    expect(second).toMatchObject({ number: 2, compatible_since: 2, breaking: '0002_b.sql' })
    const third = nextRelease(second, sources('', { ...breaking, '0003_c.sql': '' }), [F])
    expect(third).toMatchObject({ number: 3, compatible_since: 2, breaking: '0002_b.sql' })
  })

  it('takes new functions and overloads, and lets old ones go', () => {
    const functions = [F, 'f(a text) → integer', 'g() → void']
    const second = nextRelease(first, sources('more'), functions)
    expect(second.functions).toEqual(functions)
    expect(nextRelease(second, sources('less'), ['g() → void']).functions).toEqual(['g() → void'])
  })

  it.each([
    ['another argument', 'f(a jsonb, b integer) → integer'],
    ['another name of an argument', 'f(b jsonb) → integer'],
    ['another result', 'f(a jsonb) → bigint'],
  ])('refuses a function with %s', (_what, changed) => {
    expect(() => nextRelease(first, sources('changed'), [changed])).toThrow(F)
  })
})

it('functions are read from the schema', () => {
  const schema = `create table carillon.x (
  a text
);

-- Functions (server/functions):
-- two(a jsonb, at timestamp with time zone DEFAULT now()) → TABLE(ord integer, b text)
-- one() → trigger
`
  expect(functionsIn(schema)).toEqual([
    'one() → trigger',
    'two(a jsonb, at timestamp with time zone DEFAULT now()) → TABLE(ord integer, b text)',
  ])
})
