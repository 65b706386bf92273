import { beforeEach, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { createKeyring, newMasterKey } from './keyring.ts'
import { reencryptSecrets, refuseWrongMasterKey } from './sealed-rows.ts'

const database = useDatabase()
const [first, second] = [newMasterKey(), newMasterKey()]
beforeEach(() => database.pool.query('delete from master_keys'))

const start = (...keys: string[]) => refuseWrongMasterKey(database.pool, createKeyring(keys))
const rotate = (...keys: string[]) => reencryptSecrets(database.pool, createKeyring(keys), async () => {})

describe('the master key of a database', () => {
  it('is the first that came; another one is refused, although nothing has been encrypted yet', async () => {
    await start(first)
    await start(first)
    await expect(start(second)).rejects.toThrow(/used with another master key .* Set CARILLON_MASTER_KEY/)
  })

  it('is one of them when several processes start at once', async () => {
    const starts = await Promise.allSettled([first, second, first, second].map(key => start(key)))
    const outcomes = starts.map(({ status }) => status)
    expect(outcomes.toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    expect(outcomes[0]).toBe(outcomes[2])
  })

  it('may be accompanied by the next one, and is replaced when everything has been encrypted with that', async () => {
    await start(first)
    await start(second, first)
    await start(first)
    await rotate(second, first)
    await start(second)
    await expect(start(first)).rejects.toThrow(/another master key/)
  })
})
