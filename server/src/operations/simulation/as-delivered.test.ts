import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { MOVED_CLOCK } from '../../../test/moved-clock.ts'
import { countOf, expectDelivered, TENANTS } from './as-delivered.fixture.ts'

const carillon = useCarillon(MOVED_CLOCK)

/**
 * Among those that are drawn, the fewest who show each decision twice, or once where only one has it. Who changes what is
 * drawn chooses anew; `npm run prove -- stories` has all of them.
 */
const CHOSEN = [
  0, 9, 10, 11, 17, 37, 47, 51, 53, 68, 74, 75, 78, 79, 97, 108, 126, 127, 142, 143, 146, 158, 182, 189, 195,
  198, 213, 217, 230, 231, 235, 246, 250, 253, 255, 259, 265, 272, 281, 297, 298, 301,
]

it(`a simulation says what delivery does: ${CHOSEN.length} types, people and choices in ${TENANTS} tenants`, async () => {
  const ended = await expectDelivered(carillon, index => CHOSEN.includes(index))
  expect(ended.length).toBeGreaterThan(150)
  expect(countOf(ended, /^Quiet hours/)).toBeGreaterThan(10)
  expect(countOf(ended, /is required\.$/)).toBeGreaterThan(10)
  expect(countOf(ended, /^At most .* used up\.$/)).toBeGreaterThan(3)
  expect(countOf(ended, /^At most .* It is part of the digest/)).toBeGreaterThan(0)
}, 120_000)
