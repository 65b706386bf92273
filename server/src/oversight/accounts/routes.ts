/** /v1/account: what people change about their own. */
import { Account, AccountChanges } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { SignedIn } from '../../platform/calls/signed-in.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import type { AuditedRequest, Change } from '../audit-logs/audit-logs.ts'
import { type AccountRow, findAccount, prepareChanges, storeChanges, toAccount } from './accounts.ts'
import type { Passwords } from './passwords.ts'

export interface AccountRouteParts {
  pool: Pool
  passwords: Passwords
  guard: { judge(email: string, address: string, isRight: () => Promise<boolean>): Promise<boolean> }
  /** Ends the account's other sessions. */
  keepOnly: (tx: Client, signedIn: SignedIn) => Promise<void>
  recordForAccount: (
    tx: Client,
    request: Omit<AuditedRequest, 'principal'>,
    account: AccountRow,
    change: Change,
  ) => Promise<void>
}

export function accountRoutes(app: App, parts: AccountRouteParts): void {
  const { pool, passwords, guard } = parts
  app.put(
    '/v1/account',
    {
      config: { scope: 'session' },
      schema: {
        tags: ['sessions'],
        summary: 'Change your own account; a new password ends all other sessions',
        security: [{ session: [] }],
        body: AccountChanges,
        response: { 200: Account },
      },
    },
    async request => {
      const signedIn = request.signedIn!
      const account = signedIn.account && (await findAccount(pool, signedIn.account.id))
      if (!account) throw new Refusal('forbidden', 'You are signed in with an API key, which has no account.')
      const changed = await prepareChanges(account, request.body, {
        hash: passwords.hash,
        isRight: password =>
          guard.judge(account.email ?? '', request.ip, () =>
            passwords.isRight(password, account.password_hash),
          ),
        needsPassword: signedIn.needs_password,
      })
      return transaction(pool, async tx => {
        const stored = await storeChanges(tx, account, changed)
        if (request.body.password !== undefined) await parts.keepOnly(tx, signedIn)
        await parts.recordForAccount(tx, request, stored, {
          ...{ type: 'account', id: account.id, action: 'update' },
          ...{ before: audible(account), after: audible(stored) },
        })
        return toAccount(stored)
      })
    },
  )
}

/** The log shows that a password was changed, and nothing of it: a field of this name is redacted. */
const audible = (row: AccountRow) => ({ ...toAccount(row), password: row.password_hash })
