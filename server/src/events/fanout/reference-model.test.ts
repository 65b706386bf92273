import { it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { ACTIONS, expectSameEnd } from './reference-sequences.fixture.ts'

const database = useDatabase()

/** `npm run prove -- model` has 500. */
const SEEDS = 10

it(
  `${SEEDS} random sequences of ${ACTIONS} actions end as the reference model says`,
  {
    tags: ['S001-1', 'S001-12', 'S001-22'],
  },
  () =>
    expectSameEnd(
      database.pool,
      Array.from({ length: SEEDS }, (_, n) => n + 1),
    ),
)
