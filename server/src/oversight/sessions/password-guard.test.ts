/** How often passwords can be tried, and who is kept out by that. */
import { expect, it } from 'vitest'
import { Refusal } from '../../platform/calls/refusal.ts'
import { createPasswordGuard } from './password-guard.ts'

const MINUTE_MS = 60_000

function aGuard() {
  const clock = { ms: 0 }
  const guard = createPasswordGuard(() => clock.ms)
  /** Whether the password was right, or how many seconds to wait if it was not compared. */
  const attempt = async (email: string, address: string, isRight = false) => {
    try {
      return await guard.judge(email, address, async () => isRight)
    } catch (error) {
      return (error as Refusal).retryAfterSeconds
    }
  }
  return { clock, guard, attempt }
}

it('ten wrong passwords from one address keep it out of the account for a quarter of an hour', async () => {
  const { clock, attempt } = aGuard()
  for (let i = 0; i < 10; i++) expect(await attempt('ada', '192.0.2.1')).toBe(false)
  expect(await attempt('ada', '192.0.2.1', true)).toBe(900)
  clock.ms = 15 * MINUTE_MS
  expect(await attempt('ada', '192.0.2.1', true)).toBe(true)
})

it('wrong passwords keep out neither the owner elsewhere nor other accounts at the address', async () => {
  const { attempt } = aGuard()
  for (let i = 0; i < 20; i++) await attempt('ada', '192.0.2.1')
  expect(await attempt('ada', '192.0.2.2', true)).toBe(true)
  expect(await attempt('bob', '192.0.2.1', true)).toBe(true)
})

it('fifty wrong passwords keep an address out, except for accounts that signed in from there', async () => {
  const { attempt } = aGuard()
  expect(await attempt('ada', '2001:db8::1', true)).toBe(true)
  for (let i = 0; i < 50; i++) expect(await attempt(`guess ${i}`, `2001:db8::${i}`)).toBe(false)
  expect(await attempt('bob', '2001:db8::ffff', true)).toBe(900)
  expect(await attempt('ada', '2001:db8::1', true)).toBe(true)
  expect(await attempt('bob', '2001:db8:1::1', true)).toBe(true)
})

it('of thirty wrong passwords at once only ten are compared', async () => {
  const { guard } = aGuard()
  let looked = 0
  const look = async () => {
    looked++
    return false
  }
  const answers = await Promise.allSettled(
    Array.from({ length: 30 }, () => guard.judge('ada', '192.0.2.1', look)),
  )
  expect(looked).toBe(10)
  expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(20)
})

it('passwords that were never compared do not count as wrong', async () => {
  const { guard, attempt } = aGuard()
  const fail = async () => {
    throw new Refusal('rate_limited', 'busy')
  }
  for (let i = 0; i < 20; i++) await expect(guard.judge('ada', '192.0.2.1', fail)).rejects.toThrow('busy')
  expect(await attempt('ada', '192.0.2.1', true)).toBe(true)
})
