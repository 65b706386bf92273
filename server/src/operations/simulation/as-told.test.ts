import { it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { MOVED_CLOCK } from '../../../test/moved-clock.ts'
import { expectTold, ROUNDS } from './as-told.fixture.ts'

const carillon = useCarillon(MOVED_CLOCK)
/** `npm run prove -- stories` has 110. */
const HAPPENINGS = 55

it(
  `simulating an event says what happens: ${HAPPENINGS * ROUNDS.length} events with random people, choices and rules`,
  {
    tags: ['S001-21', 'S001-22', 'S001-25'],
    timeout: 240_000,
  },
  () => expectTold(carillon, HAPPENINGS),
)
