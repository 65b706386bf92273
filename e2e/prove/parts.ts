/** Every part, in the order in which they run. */
import type { Part } from './part.ts'
import { faults } from './parts/faults.ts'
import { kills } from './parts/kills.ts'
import { model } from './parts/model.ts'
import { pairs } from './parts/pairs.ts'
import { pgbackrest } from './parts/pgbackrest.ts'
import { plans } from './parts/plans.ts'
import { restores } from './parts/restores.ts'
import { stories } from './parts/stories.ts'
import { streams } from './parts/streams.ts'

export const PARTS: readonly Part[] = [
  kills,
  faults,
  stories,
  restores,
  pgbackrest,
  streams,
  model,
  plans,
  pairs,
]
