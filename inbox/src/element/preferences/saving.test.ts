import { expect, it } from 'vitest'
import { createSaving } from './saving.ts'
import type { Settings } from './source.ts'

const settings = (digests: object): Settings =>
  ({
    channels: [],
    categories: [],
    preferences: { channels: {}, categories: {}, digests },
  }) as unknown as Settings
const week = (on: string) =>
  ({ digests: { reviews: { email: { every: 'week', on, at: '08:00' } } } }) as const

it('shows the later change while the earlier one is being stored, and stores them in order', async () => {
  const shown: unknown[] = []
  const asked: string[] = []
  const answers: ((stored: Settings | undefined) => void)[] = []
  const saving = createSaving(state => shown.push(state.preferences.digests))
  const store = (name: string) => () => {
    asked.push(name)
    return new Promise<Settings | undefined>(resolve => answers.push(resolve))
  }
  const [monday, friday] = [week('monday'), week('friday')] as never[]
  saving.begin(settings({}))
  const both = [saving.save(monday!, store('monday')), saving.save(friday!, store('friday'))]
  await expect.poll(() => asked).toEqual(['monday'])
  answers[0]!(settings(week('monday').digests))
  await both[0]
  expect(shown.at(-1)).toEqual(week('friday').digests)
  await expect.poll(() => asked).toEqual(['monday', 'friday'])
  answers[1]!(undefined)
  await both[1]
  expect(shown.at(-1)).toEqual(week('monday').digests)
})
