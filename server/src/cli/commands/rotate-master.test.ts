import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { createMailLinks } from '../../content/messages/mail-links.ts'
import { readToken } from '../../content/signed-links/signed-links.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { newMasterKey } from '../../platform/secrets/keyring.ts'
import { loadKeyring } from '../../platform/secrets/master-key.ts'
import { carillon } from '../in-process.fixture.ts'

const database = useDatabase()
const route = {
  tenant_id: '0197f2a0-0000-7000-8000-000000000001',
  notification_id: '0197f2a0-0000-7000-8000-000000000002',
  channel: 'email' as const,
  user_id: 'ada',
  category: '',
  required: false,
  critical: false,
}

async function linkSignedWith(environment: Record<string, string>): Promise<string> {
  const links = createMailLinks(await loadKeyring(loadConfig(environment)), 'https://x.example', Date.now)
  return links(route)!.unsubscribe!.split('/').at(-1)!
}

it('rotating the master key leaves the links in mails valid until their own end, twice over', async () => {
  const environment = {
    DATABASE_URL: database.url,
    CARILLON_DATA_DIR: mkdtempSync(join(inject('scratchDir'), 'rotate-')),
  }
  const tokens = [await linkSignedWith(environment)]
  for (let rotations = 0; rotations < 2; rotations++) {
    const { code, stdout } = await carillon('', ['api-keys', 'rotate-master'], { environment })
    expect([code, stdout]).toEqual([0, expect.stringContaining('verifies the links in mails')])
    tokens.push(await linkSignedWith(environment))
  }
  const keyring = await loadKeyring(loadConfig(environment))
  for (const token of tokens)
    expect(readToken(keyring, 'unsubscribe', token, Date.now())).toMatchObject({ user_id: 'ada' })
  expect(new Set(tokens).size).toBe(3)
  const [inAYear, afterwards] = [360, 600].map(days => Date.now() + days * 86_400_000)
  expect(readToken(keyring, 'unsubscribe', tokens[0]!, inAYear!)).not.toBe('expired')
  expect(readToken(keyring, 'unsubscribe', tokens[0]!, afterwards!)).toBe('expired')
})

it('says for how long the old key has to stay in the setting, if it comes from there', async () => {
  // As in a database that no other key was used with.
  await database.pool.query('delete from master_keys')
  const environment = {
    DATABASE_URL: database.url,
    CARILLON_DATA_DIR: inject('scratchDir'),
    CARILLON_MASTER_KEY: `${newMasterKey()}, ${newMasterKey()}`,
  }
  const { stdout } = await carillon('', ['api-keys', 'rotate-master'], { environment })
  expect(stdout).toMatch(/Keep the old key in CARILLON_MASTER_KEY until \d{4}-\d\d-\d\d, behind the new one/)
})
