import { expect, it } from 'vitest'
import { createPasswords } from './passwords.ts'

it('a password is kept as argon2id with the parameters that OWASP names', async () => {
  const passwords = createPasswords()
  const stored = await passwords.hash('four random horses')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await passwords.isRight('four random horses', stored)).toBe(true)
  expect(await passwords.isRight('four random houses', stored)).toBe(false)
  expect(await passwords.hash('four random horses')).not.toBe(stored)
})

it('a password without a stored hash is compared all the same, and is never right', async () => {
  const passwords = createPasswords()
  expect(await passwords.isRight('anything', undefined)).toBe(false)
  expect(await passwords.isRight('', null)).toBe(false)
})

it('password checks wait for each other, and beyond a few are refused with a time to retry', async () => {
  const passwords = createPasswords({ atOnce: 1, waiting: 2 })
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => passwords.isRight('x', undefined)))
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(answers.at(-1)).toMatchObject({ reason: { code: 'rate_limited', retryAfterSeconds: 2 } })
  expect(await passwords.isRight('x', undefined)).toBe(false)
})
