/** Prints server/schema.sql: the whole schema as it stands after all migrations, read from a fresh database's catalog. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeSchema } from '../platform/database/describe-schema.ts'
import { migrateUp } from '../platform/database/migrate.ts'
import { createPool } from '../platform/database/pool.ts'
import { startEmbedded } from '../platform/embedded-database/embedded.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'carillon-schema-'))
const database = await startEmbedded({ dataDir, log: () => {}, settings: { fsync: 'off' } })
const pool = createPool(database.ownerUrl)
try {
  await migrateUp(database.ownerUrl)
  process.stdout.write(await describeSchema(pool))
} finally {
  await pool.end()
  await database.stop()
  await rm(dataDir, { recursive: true, force: true })
}
