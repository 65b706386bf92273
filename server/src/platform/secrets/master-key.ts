/** Where the master key comes from: the setting, or a file in the data folder that the first start creates. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { createKeyring, type Keyring, newMasterKey } from './keyring.ts'

export async function loadKeyring(config: Config): Promise<Keyring> {
  const configured = config.CARILLON_MASTER_KEY.split(',')
    .map(key => key.trim())
    .filter(key => key !== '')
  if (configured.length > 0) return createKeyring(configured)
  const path = masterKeyFile(config.dataDir)
  if (!existsSync(path)) await createKeyFile(path)
  return createKeyring(readKeys(path))
}

/** Puts a new key first; the old ones stay until everything is re-encrypted. */
export async function addMasterKey(config: Config): Promise<Keyring> {
  if (config.CARILLON_MASTER_KEY !== '') {
    // The setting belongs to the operator, who has already put the new key first.
    return createKeyring(config.CARILLON_MASTER_KEY.split(','))
  }
  const path = masterKeyFile(config.dataDir)
  const keys = [newMasterKey(), ...(existsSync(path) ? readKeys(path) : [])]
  await writeKeys(path, keys)
  return createKeyring(keys)
}

/** After re-encrypting, only the current key is needed. */
export async function dropOldMasterKeys(config: Config): Promise<void> {
  if (config.CARILLON_MASTER_KEY !== '') return
  const path = masterKeyFile(config.dataDir)
  await writeKeys(path, readKeys(path).slice(0, 1))
}

export function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master-key')
}

function readKeys(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}

/** Several processes may start at once with the same folder: whoever is first decides, and the others read its key. */
async function createKeyFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const own = `${path}.${randomUUID()}`
  await writeFile(own, `${newMasterKey()}\n`, { mode: 0o600 })
  try {
    await link(own, path)
  } catch (error) {
    // Where the file system knows no links, the last one decides.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rename(own, path)
  } finally {
    await rm(own, { force: true })
  }
}

/** Written to another file and renamed, so that a crash leaves the old keys or the new ones, never half of them. */
async function writeKeys(path: string, keys: string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, `${keys.join('\n')}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
