import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FINISH_REASONS, POSTPONE_REASONS, SKIP_REASONS, StoredReason } from './reasons.ts'

const document = readFileSync(new URL('../../docs/reference/reasons.md', import.meta.url), 'utf8')
const rows = [...document.matchAll(/^\| `(\w+)` \| (\w+) \| (.+?) \| (.+?) \|$/gm)].map(
  ([, reason, becomes, meaning, advice]) => ({ reason, becomes, meaning, advice }),
)

describe('docs/reference/reasons.md', () => {
  it.each([
    ['skipped', SKIP_REASONS],
    ['postponed', POSTPONE_REASONS],
    ['finished', FINISH_REASONS],
  ])('documents every reason to be %s once, in the order of the contract', (becomes, reasons) => {
    expect(rows.filter(row => row.becomes === becomes).map(row => row.reason)).toEqual(reasons)
  })

  it('documents no other', () => {
    expect(rows).toHaveLength(SKIP_REASONS.length + POSTPONE_REASONS.length + FINISH_REASONS.length)
    expect(document.match(/^\| `/gm)).toHaveLength(rows.length)
  })

  it.each(rows)('gives $reason a meaning and advice', ({ meaning, advice }) => {
    for (const sentence of [meaning, advice]) expect(sentence).toMatch(/^[A-Z`].*\.$/)
  })
})

describe('reasons', () => {
  const all: string[] = [...SKIP_REASONS, ...POSTPONE_REASONS, ...FINISH_REASONS]

  it('are snake_case, and each means one thing', () => {
    for (const reason of all) expect(reason).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(new Set(all).size).toBe(all.length)
  })

  it('of older and newer releases are valid too', () => {
    for (const reason of ['', 'deadline', 'one_of_long_ago'])
      expect(StoredReason.safeParse(reason).success).toBe(true)
  })
})
