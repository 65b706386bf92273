/** The months of the archive that are over: written to files where that is wanted, and dropped. */
import { forgetReports } from '../../delivery/callbacks/forget.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { forgetLetters } from '../../reactions/dead-letters/forget.ts'
import { forgetDeliveries } from '../../reactions/webhook-deliveries/forget.ts'
import { exportMonth } from './export.ts'
import { dropMonth, lockMonth, selectKeysOfMonth, selectMonthsThatAreOver } from './queries.ts'

export { createMonthsSince } from './queries.ts'

/** Returns the months that were dropped. A file is complete before its month goes; a crash in between writes it again. */
export async function dropMonths(pool: Pool, exportDir: string | undefined): Promise<string[]> {
  const dropped: string[] = []
  for (const month of await selectMonthsThatAreOver(pool)) {
    const records = await forgetWhatBelongsTo(pool, month)
    const isGone = await transaction(pool, async tx => {
      if (!(await lockMonth(tx, month))) return false
      if (exportDir !== undefined && records > 0) await exportMonth(tx, month, exportDir)
      return dropMonth(tx, month)
    })
    if (isGone) dropped.push(month)
  }
  return dropped
}

/** What is about these records elsewhere, in portions. Returns how many records there are. */
async function forgetWhatBelongsTo(pool: Pool, month: string): Promise<number> {
  let records = 0
  let keys = await selectKeysOfMonth(pool, month, undefined)
  while (keys.length > 0) {
    records += keys.length
    await forgetDeliveries(pool, keys)
    await forgetReports(pool, keys)
    await forgetLetters(pool, keys)
    keys = await selectKeysOfMonth(pool, month, keys.at(-1))
  }
  return records
}
