import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES, ERRORS, Problem } from './errors.ts'

const document = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8')
const rows = [...document.matchAll(/^\| `(\w+)` \| (\d+) \| (.+?) \| (.+?) \|$/gm)].map(
  ([, code, status, meaning, advice]) => ({ code, status: Number(status), meaning, advice }),
)

describe('docs/reference/errors.md', () => {
  it('documents every error code once, in the order of the contract, and no other', () => {
    expect(rows.map(row => row.code)).toEqual(ERROR_CODES)
  })

  it.each(rows)('gives $code its status, its title and advice', ({ code, status, meaning, advice }) => {
    expect({ status, title: meaning }).toEqual(ERRORS[code as keyof typeof ERRORS])
    expect(advice).toMatch(/^[A-Z].*\.$/)
  })
})

describe('error codes', () => {
  it.each(ERROR_CODES)('%s is snake_case, and its status is 4xx or 5xx', code => {
    expect(code).toMatch(/^[a-z]+[a-z0-9_]*$/)
    expect(Math.floor(ERRORS[code].status / 100)).toBeOneOf([4, 5])
  })

  it('a problem accepts these codes only', () => {
    const problem = { type: 'urn:carillon:problem:x', title: '', status: 400, detail: '' }
    expect(Problem.safeParse({ ...problem, code: 'invalid_json' }).success).toBe(true)
    expect(Problem.safeParse({ ...problem, code: 'invented' }).success).toBe(false)
  })
})
