import { expect, it } from 'vitest'
import { useFullDatabase } from '../../../test/full-database.ts'
import { readingOf } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { OUTBOX_KINDS } from '../../roles/outbox-kinds.ts'
import { createWalks } from './invariants.ts'
import { planByIndex, selectAgain, selectPortion } from './queries.ts'

const full = useFullDatabase()
const walks = createWalks(OUTBOX_KINDS).map(walk => [walk.name, walk] as const)

it.each(walks)(
  'the reconciler reads a portion of %s by index, from anywhere in the table',
  async (_name, walk) => {
    const small = { ...walk, portion: Math.min(walk.portion, 100) }
    const { last } = await selectPortion(full.pool, small, null)
    const read = async (call: (db: Pool) => Promise<unknown>) => {
      const { whole, pages } = await readingOf(full.pool, async db => {
        await planByIndex(db)
        await call(db)
      })
      // The next counted hour is looked up tenant by tenant, and here only one of 10,000 has any.
      return { whole, isFew: pages < (walk.name === 'counted hours' ? 50_000 : 4000) }
    }
    const few = { whole: [], isFew: true }
    expect(await read(db => selectPortion(db, small, null))).toEqual(few)
    if (last === null) return
    expect(await read(db => selectPortion(db, small, last))).toEqual(few)
    expect(await read(db => selectAgain(db, small, [last]))).toEqual(few)
  },
)
