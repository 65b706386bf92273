/** `npm run prove -- model` says how many rounds, and with which seed the first begins. */
import { it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { ACTIONS, expectSameEnd } from './reference-sequences.fixture.ts'

const database = useDatabase()

const SEEDS = 50
const { CARILLON_PROVE_ROUNDS: rounds = '10', CARILLON_PROVE_SEED: first = '1' } = process.env

it.each(Array.from({ length: Number(rounds) }, (_, round) => Number(first) + round * SEEDS))(
  `${SEEDS} random sequences of ${ACTIONS} actions from seed %i end as the reference model says`,
  {
    tags: ['S001-1', 'S001-12', 'S001-22'],
    timeout: 600_000,
  },
  from =>
    expectSameEnd(
      database.pool,
      Array.from({ length: SEEDS }, (_, n) => from + n),
    ),
)
