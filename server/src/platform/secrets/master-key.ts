/** Where the master key comes from: the setting, or a file in the data folder that the first start creates. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import {
  createFollowingKeyring,
  createKeyring,
  type Keyring,
  newMasterKey,
  type RetiredKey,
} from './keyring.ts'

/** From a file, it follows that file: a rotation reaches a running process with its next use of a key. */
export async function loadKeyring(config: Config): Promise<Keyring> {
  const configured = configuredKeys(config)
  if (configured.length > 0) return createKeyring(configured)
  const path = masterKeyFile(config.dataDir)
  if (!existsSync(path)) await createKeyFile(path)
  const load = () => {
    const { active, retired } = readKeys(path)
    return createKeyring(active, retired)
  }
  return createFollowingKeyring(load, createVersionOf(path))
}

/** Puts a new key first; the old ones go on decrypting until everything is re-encrypted. */
export async function addMasterKey(config: Config): Promise<Keyring> {
  // The setting belongs to the operator, who has already put the new key first.
  const configured = configuredKeys(config)
  if (configured.length > 0) return createKeyring(configured)
  const path = masterKeyFile(config.dataDir)
  const { active, retired } = existsSync(path) ? readKeys(path) : { active: [], retired: [] }
  const keys = { active: [newMasterKey(), ...active], retired }
  await writeKeys(path, keys)
  return createKeyring(keys.active, retired)
}

/**
 * After re-encrypting, nothing but the current key is needed for secrets. The old ones go on verifying links in mails
 * `until` the last of those has ended; those whose time is over are dropped.
 */
export async function retireOldMasterKeys(config: Config, until: Date, now: Date): Promise<void> {
  if (configuredKeys(config).length > 0) return
  const path = masterKeyFile(config.dataDir)
  const { active, retired } = readKeys(path)
  const [current, ...old] = active
  await writeKeys(path, {
    active: [current!],
    retired: [...old.map(key => ({ key, until })), ...retired.filter(each => each.until > now)],
  })
}

/** The file is replaced, never rewritten, so a change is another inode. While it cannot be read, nothing has changed. */
function createVersionOf(path: string): () => string {
  let last = ''
  return () => {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
    if (stat !== undefined) last = `${stat.ino} ${stat.mtimeNs} ${stat.size}`
    return last
  }
}

function configuredKeys(config: Config): string[] {
  return config.CARILLON_MASTER_KEY.split(',')
    .map(key => key.trim())
    .filter(key => key !== '')
}

export function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master-key')
}

interface StoredKeys {
  /** The current one first. */
  active: string[]
  retired: RetiredKey[]
}

const LINKS_UNTIL = ' links-until '

/** A key on each line; a retired one is followed by the time until which it verifies links. */
function readKeys(path: string): StoredKeys {
  const keys: StoredKeys = { active: [], retired: [] }
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [key = '', until] = line.trim().split(LINKS_UNTIL)
    if (until !== undefined) keys.retired.push({ key, until: new Date(until) })
    else if (key !== '') keys.active.push(key)
  }
  return keys
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
async function writeKeys(path: string, { active, retired }: StoredKeys): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const lines = [...active, ...retired.map(({ key, until }) => `${key}${LINKS_UNTIL}${until.toISOString()}`)]
  await writeFile(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
