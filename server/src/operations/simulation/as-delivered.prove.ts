import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { MOVED_CLOCK } from '../../../test/moved-clock.ts'
import { CONFIGURATIONS, countOf, expectDelivered, TENANTS } from './as-delivered.fixture.ts'

const carillon = useCarillon(MOVED_CLOCK)

it(`a simulation says what delivery does: ${CONFIGURATIONS} types, people and choices in ${TENANTS} tenants`, async () => {
  const ended = await expectDelivered(carillon, () => true)
  expect(ended.length).toBeGreaterThan(1177)
  expect(countOf(ended, /^Quiet hours/)).toBeGreaterThan(20)
  expect(countOf(ended, /is required\.$/)).toBeGreaterThan(20)
  expect(countOf(ended, /^At most .* used up\.$/)).toBeGreaterThan(5)
  expect(countOf(ended, /^At most .* It is part of the digest/)).toBeGreaterThan(0)
}, 300_000)
