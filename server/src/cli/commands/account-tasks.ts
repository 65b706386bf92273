/** What whoever has the machine does with accounts: directly in the database, since perhaps nobody can sign in. */
import { AccountEmail, type KeyRole } from '@carillon/contract'
import {
  createAccount as addAccount,
  deleteAccount,
  findAccountByEmail,
  listAccounts,
  makeOperator,
} from '../../oversight/accounts/accounts.ts'
import { recordChange } from '../../oversight/audit-logs/audit-logs.ts'
import { addMember, endMemberships, getMember } from '../../oversight/members/members.ts'
import { firstLink, LINK_MS, linkFor } from '../../oversight/sessions/links.ts'
import { findTenantByName } from '../../oversight/tenants/tenants.ts'
import { parseOrRefuse } from '../../platform/calls/parse-or-refuse.ts'
import { type Environment, loadConfig } from '../../platform/config/config.ts'
import { migrateUp } from '../../platform/database/migrate.ts'
import { createPool, type Pool, transaction } from '../../platform/database/pool.ts'
import { borrowDatabase } from '../../platform/embedded-database/open.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { loadKeyring } from '../../platform/secrets/master-key.ts'
import { refuseWrongMasterKey } from '../../platform/secrets/sealed-rows.ts'

export interface Machine {
  environment: Environment | undefined
  /** Where the API is, unless the settings say where people reach it. */
  address: string
  remark: (line: string) => void
}

interface Instance {
  pool: Pool
  keyring: Keyring
  url: string
}

async function withInstance<T>(machine: Machine, work: (instance: Instance) => Promise<T>): Promise<T> {
  const config = loadConfig(machine.environment)
  const database = await borrowDatabase(config, machine.remark)
  const pool = createPool(database.url)
  try {
    await migrateUp(database.ownerUrl)
    const keyring = await loadKeyring(config)
    await refuseWrongMasterKey(pool, keyring)
    return await work({ pool, keyring, url: config.CARILLON_PUBLIC_URL || machine.address })
  } finally {
    await pool.end()
    await database.close()
  }
}

export const readAccounts = (machine: Machine) => withInstance(machine, ({ pool }) => listAccounts(pool))

/** Somebody who has an account already becomes a member of another tenant. */
export function createAccount(
  machine: Machine,
  given: { email: string; role: KeyRole; tenant: string | undefined; isOperator: boolean },
) {
  const email = checked(given.email)
  return withInstance(machine, ({ pool, keyring, url }) =>
    transaction(pool, async tx => {
      const tenant = await findTenantByName(tx, given.tenant)
      if (tenant === undefined) throw new Error(`There is no tenant ${given.tenant ?? 'yet'}.`)
      const account =
        (await findAccountByEmail(tx, email)) ?? (await addAccount(tx, { email, password_hash: null }))
      if (given.isOperator) await makeOperator(tx, account.id)
      await addMember(tx, tenant.id, account, given.role)
      const after = await getMember(tx, tenant.id, account.id)
      await recordChange(tx, tenant.id, { type: 'member', id: account.id, action: 'create', after })
      const link = account.password_hash === null ? linkFor(keyring, url, account, Date.now()) : null
      return { id: account.id, email, tenant: tenant.name, role: after.role, url: link }
    }),
  )
}

/** Without an email: for the first owner, as long as nobody has an account. */
export function makeSignInLink(machine: Machine, given: string | undefined) {
  return withInstance(machine, async ({ pool, keyring, url }) => {
    const now = Date.now()
    const expires_at = new Date(now + LINK_MS).toISOString()
    if (given === undefined) {
      const link = await firstLink(pool, keyring, url, now)
      if (link === undefined) throw new Error('Somebody has an account already: give the email of one.')
      return { url: link, email: null, expires_at }
    }
    const account = await findOrFail(pool, given)
    return { url: linkFor(keyring, url, account, now), email: account.email, expires_at }
  })
}

export function removeAccount(machine: Machine, given: string) {
  return withInstance(machine, ({ pool }) =>
    transaction(pool, async tx => {
      const { id, email } = await findOrFail(tx, given)
      for (const { tenantId, member } of await endMemberships(tx, id))
        await recordChange(tx, tenantId, { type: 'member', id, action: 'delete', before: member })
      await deleteAccount(tx, id)
      return { id, email }
    }),
  )
}

async function findOrFail(db: Parameters<typeof findAccountByEmail>[0], given: string) {
  const account = await findAccountByEmail(db, checked(given))
  if (account === undefined) throw new Error(`There is no account ${given}.`)
  return account
}

const checked = (email: string): string => parseOrRefuse(AccountEmail, email)
