/** What a restored instance needs from the data folder beside the database: keys and passwords. */
import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { apiKeyFile, type Config } from '../config/config.ts'
import { ROLE_NAMES } from '../database/roles.ts'
import { passwordFile } from '../embedded-database/embedded-cluster.ts'
import { rolePasswordFile } from '../embedded-database/embedded-roles.ts'
import { masterKeyFile } from '../secrets/master-key.ts'
import type { DataFiles } from './envelope.ts'

export async function readDataFiles(config: Config): Promise<DataFiles> {
  const { dataDir } = config
  const files: DataFiles = {}
  for (const path of [
    masterKeyFile(dataDir),
    apiKeyFile(dataDir),
    passwordFile(dataDir),
    ...ROLE_NAMES.map(role => rolePasswordFile(dataDir, role)),
  ])
    if (existsSync(path)) files[basename(path)] = await readFile(path, 'utf8')
  // The setting wins over the file, and a restored instance should work without anybody remembering it.
  if (config.CARILLON_MASTER_KEY !== '')
    files[basename(masterKeyFile(dataDir))] = config.CARILLON_MASTER_KEY.split(',').join('\n')
  return files
}

export async function writeDataFiles(dataDir: string, files: DataFiles): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(dataDir, basename(name))
    await writeFile(path, content, { mode: 0o600 })
    await chmod(path, 0o600)
  }
}
