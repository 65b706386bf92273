import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { loadConfig } from '../config/config.ts'
import { createKeyring, keyIdOf, newMasterKey } from './keyring.ts'
import { addMasterKey, loadKeyring, masterKeyFile, retireOldMasterKeys } from './master-key.ts'

const [oldKey, newKey] = [newMasterKey(), newMasterKey()]

it('a keyring from the key file follows the file, and keeps its keys while that cannot be read', async () => {
  const config = loadConfig({ CARILLON_DATA_DIR: mkdtempSync(join(inject('scratchDir'), 'following-')) })
  const running = await loadKeyring(config)
  const sealed = running.encrypt('a secret', 'row')
  const { currentId } = await addMasterKey(config)
  expect(running.currentId).toBe(currentId)
  expect(running.decrypt(sealed, 'row')).toBe('a secret')
  const text = readFileSync(masterKeyFile(config.dataDir), 'utf8')
  for (const broken of ['', 'half a key']) {
    writeFileSync(masterKeyFile(config.dataDir), broken)
    expect(running.currentId).toBe(currentId)
  }
  writeFileSync(masterKeyFile(config.dataDir), text)
  await retireOldMasterKeys(config, new Date(Date.now() + 60_000), new Date())
  expect(() => running.decrypt(sealed, 'row')).toThrow('is missing')
})

describe('secrets at rest', () => {
  it('are encrypted with AES-256-GCM under a named key, and decrypt again', { tags: 'S002-30' }, () => {
    const ring = createKeyring([oldKey])
    const sealed = ring.encrypt('a secret', 'row 1')
    expect(sealed).not.toContain('a secret')
    expect(keyIdOf(sealed)).toBe(ring.currentId)
    expect(ring.decrypt(sealed, 'row 1')).toBe('a secret')
    expect(ring.encrypt('a secret', 'row 1')).not.toBe(sealed)
  })

  it('do not decrypt in another row, with a changed byte, or with another key', { tags: 'S002-30' }, () => {
    const ring = createKeyring([oldKey])
    const sealed = ring.encrypt('a secret', 'row 1')
    const body = sealed.split('.')
    const bytes = Buffer.from(body[3]!, 'base64')
    bytes[0]! ^= 1
    expect(() => ring.decrypt(sealed, 'row 2')).toThrow()
    expect(() => ring.decrypt([...body.slice(0, 3), bytes.toString('base64')].join('.'), 'row 1')).toThrow()
    expect(() => createKeyring([newKey]).decrypt(sealed, 'row 1')).toThrow(/master key .* is missing/)
  })

  it('old keys still decrypt what they encrypted; the first one encrypts', () => {
    const sealed = createKeyring([oldKey]).encrypt('a secret', 'row')
    const rotated = createKeyring([newKey, oldKey])
    expect(rotated.decrypt(sealed, 'row')).toBe('a secret')
    expect(keyIdOf(rotated.encrypt('x', 'row'))).not.toBe(keyIdOf(sealed))
  })

  it('refuses a key that is not 32 bytes, and says how to make one', () => {
    expect(() => createKeyring(['c2hvcnQ='])).toThrow(/openssl rand -base64 32/)
  })
})

describe('the master key', () => {
  it('is created in the data folder, readable by its owner only, and kept', async () => {
    const config = loadConfig({ CARILLON_DATA_DIR: mkdtempSync(join(inject('scratchDir'), 'key-')) })
    const first = await loadKeyring(config)
    expect(statSync(masterKeyFile(config.dataDir)).mode & 0o777).toBe(0o600)
    expect((await loadKeyring(config)).currentId).toBe(first.currentId)
  })

  it('is the same for all processes that start at once', async () => {
    const config = loadConfig({ CARILLON_DATA_DIR: join(inject('scratchDir'), 'shared-by-many') })
    const rings = await Promise.all(Array.from({ length: 20 }, () => loadKeyring(config)))
    expect(new Set(rings.map(ring => ring.currentId)).size).toBe(1)
    expect((await loadKeyring(config)).currentId).toBe(rings[0]!.currentId)
    expect(readdirSync(config.dataDir)).toEqual(['master-key'])
  })

  it('rotates: the old one decrypts until it is retired, and then only verifies what it signed, for a time', async () => {
    const config = loadConfig({ CARILLON_DATA_DIR: mkdtempSync(join(inject('scratchDir'), 'key-')) })
    const first = await loadKeyring(config)
    const sealed = first.encrypt('kept', 'row')
    const signature = first.sign('links', 'text')
    const rotated = await addMasterKey(config)
    expect(rotated.decrypt(sealed, 'row')).toBe('kept')

    const [now, later] = [new Date(), new Date(Date.now() + 60_000)]
    await retireOldMasterKeys(config, later, now)
    const after = await loadKeyring(config)
    expect(after.currentId).toBe(rotated.currentId)
    expect(() => after.decrypt(sealed, 'row')).toThrow(/is missing/)
    expect(after.isSigned('links', 'text', signature)).toBe(true)
    expect(after.isSigned('other', 'text', signature)).toBe(false)

    // The next rotation drops it, as its time is over.
    await addMasterKey(config)
    await retireOldMasterKeys(config, new Date(later.getTime() + 60_000), later)
    expect(readFileSync(masterKeyFile(config.dataDir), 'utf8').trim().split('\n')).toHaveLength(2)
    expect((await loadKeyring(config)).isSigned('links', 'text', signature)).toBe(false)
  })

  it('comes from the setting where there is one', async () => {
    const config = loadConfig({
      CARILLON_MASTER_KEY: `${newKey},${oldKey}`,
      CARILLON_DATA_DIR: '/nonexistent',
    })
    expect((await loadKeyring(config)).currentId).toBe(createKeyring([newKey]).currentId)
  })
})
