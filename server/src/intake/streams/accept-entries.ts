/** Entries that were read together: each becomes a record, is found to be one already, or is kept as malformed. */
import type { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { Acceptor } from '../intents/accept.ts'
import type { CheckedIntent } from '../intents/intent.ts'
import {
  findMalformed,
  forgetAccepted,
  isMalformed,
  type NewMalformedIntent,
  storeMalformed,
} from '../intents/malformed.ts'
import type { StreamEntry } from './entry.ts'
import { type EntryOrigin, type Interpreted, interpret, toMalformedRow } from './interpret.ts'

export type Settled = 'accepted' | 'duplicate' | 'malformed'

export interface AcceptedEntries {
  /** Committed, so they may be acknowledged. */
  settled: { entry: StreamEntry; as: Settled }[]
  /** Nothing was stored of these; they are to be tried again. */
  later: StreamEntry[]
  /** Why, of one of them. */
  error?: unknown
}

export interface AcceptEntriesOptions {
  pool: Pool
  acceptor: Pick<Acceptor, 'accept'>
  origin: EntryOrigin
}

/** Never throws: a database that is away leaves everything for later. */
export async function acceptEntries(
  options: AcceptEntriesOptions,
  entries: StreamEntry[],
): Promise<AcceptedEntries> {
  const { pool, acceptor, origin } = options
  const result: AcceptedEntries = { settled: [], later: [] }
  const postpone = (entry: StreamEntry, error: unknown) => {
    result.later.push(entry)
    result.error = error
  }
  const interpreted = entries.map(entry => interpret(entry, origin))
  const known = await knownMalformed(pool, origin, interpreted).catch((error: unknown) => {
    for (const { entry } of interpreted) postpone(entry, error)
    return undefined
  })
  if (known === undefined) return result

  const malformed: { item: Interpreted; refusal: Refusal }[] = []
  await Promise.all(
    interpreted.map(async item => {
      const { entry, intent } = item
      if (known.has(entry.id)) return result.settled.push({ entry, as: 'malformed' })
      try {
        const { duplicate } = await acceptor.accept(acceptable(intent))
        return result.settled.push({ entry, as: duplicate ? 'duplicate' : 'accepted' })
      } catch (error) {
        if (isMalformed(error)) return malformed.push({ item, refusal: error })
        return postpone(entry, error)
      }
    }),
  )
  try {
    await storeMalformed(
      pool,
      malformed.map(({ item, refusal }): NewMalformedIntent => toMalformedRow(item, origin, refusal)),
    )
    for (const { item } of malformed) result.settled.push({ entry: item.entry, as: 'malformed' })
  } catch (error) {
    for (const { item } of malformed) postpone(item.entry, error)
  }
  try {
    const settled = new Set(result.settled.map(({ entry }) => entry))
    await forgetAccepted(pool, origin.tenant_id, origin.source, named(interpreted, settled))
  } catch (error) {
    for (const { entry } of result.settled.splice(0)) postpone(entry, error)
  }
  return result
}

/** An entry may have been kept and not acknowledged; meanwhile the user that it lacked may exist. */
async function knownMalformed(
  pool: Pool,
  { tenant_id, source }: EntryOrigin,
  interpreted: Interpreted[],
): Promise<Set<string>> {
  return findMalformed(pool, tenant_id, source, named(interpreted))
}

/** What identifies entries in the database. */
function named(interpreted: Interpreted[], among?: Set<StreamEntry>): { id: string; producer: string }[] {
  return interpreted
    .filter(({ entry }) => among === undefined || among.has(entry))
    .map(({ entry, readable }) => ({ id: entry.id, producer: readable.producer }))
}

function acceptable(intent: CheckedIntent | Refusal): CheckedIntent {
  if (intent instanceof Error) throw intent
  return intent
}
