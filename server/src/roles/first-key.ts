/** The first key of an empty database: shown once on the screen, and stored in the data folder for the operator. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createFirstTenant } from '../oversight/tenants/tenants.ts'
import { apiKeyFile, type Config } from '../platform/config/config.ts'
import type { Pool } from '../platform/database/pool.ts'

/** Returns the key only if this start created it. */
export async function keepFirstKey({ dataDir }: Config, pool: Pool): Promise<string | undefined> {
  const created = await createFirstTenant(pool, key => writeKey(dataDir, key))
  return created?.key
}

async function writeKey(dataDir: string, key: string): Promise<void> {
  const file = apiKeyFile(dataDir)
  try {
    await mkdir(dataDir, { recursive: true })
    await rm(file, { force: true }) // An older file would keep its mode.
    await writeFile(file, `${key}\n`, { mode: 0o600 })
  } catch (error) {
    throw new Error(
      `The first API key cannot be written to ${file}: ${(error as Error).message}. Set CARILLON_DATA_DIR to a writable folder.`,
    )
  }
}
