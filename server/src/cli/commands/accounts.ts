/** `carillon accounts`: who can sign in to the dashboard, for whoever is on the server's machine. */
import { KEY_ROLES, type KeyRole } from '@carillon/contract'
import { type Command, Option } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import type { Machine } from './account-tasks.ts'

export function addAccounts(program: Command, open: Open): void {
  const accounts = program.command('accounts').description('who can sign in to the dashboard')

  accounts
    .command('list', { isDefault: true })
    .description('every account, with its tenants and roles')
    .action(async (_options, command: Command) => {
      const invocation = open(command)
      const { readAccounts } = await import('./account-tasks.ts')
      const rows = await readAccounts(machineOf(invocation))
      invocation.print.list(rows, COLUMNS, { empty: 'No accounts.', more: false })
    })

  accounts
    .command('create')
    .argument('<email>', 'what the person signs in with')
    .addOption(new Option('--role <role>', 'what they may do').choices(KEY_ROLES).makeOptionMandatory())
    .option('--tenant <name>', 'the tenant they operate; default: the first one')
    .option('--operator', 'as an owner, they manage the instance too: tenants, mail servers, the doctor')
    .description('create an account and print a link to sign in with, or add one that exists to a tenant')
    .action(async (email: string, given: CreateArguments, command: Command) => {
      const { role, tenant, operator: isOperator = false } = given
      const invocation = open(command)
      const { createAccount } = await import('./account-tasks.ts')
      const created = await createAccount(machineOf(invocation), { email, role, tenant, isOperator })
      const { print } = invocation
      const done = `${print.colors.green('✓')} ${created.email} is ${created.role} of ${created.tenant}`
      print.show(created, () => (created.url === null ? done : created.url))
      if (created.url !== null) print.remark(`${created.email} signs in with it, once and within a day.`)
    })

  accounts
    .command('link')
    .argument('[email]', 'whose; without it, the first owner’s, as long as nobody has an account')
    .description('print a link that signs in once, for people who have lost their password')
    .action(async (email: string | undefined, _options, command: Command) => {
      const invocation = open(command)
      const { makeSignInLink } = await import('./account-tasks.ts')
      const link = await makeSignInLink(machineOf(invocation), email)
      invocation.print.show(link, () => link.url)
      invocation.print.remark(`Whoever opens it first is signed in; it works until ${link.expires_at}.`)
    })

  accounts
    .command('remove')
    .argument('<email>', 'whose')
    .description('delete an account; its sessions end at once')
    .action(async (email: string, _options, command: Command) => {
      const invocation = open(command)
      const { removeAccount } = await import('./account-tasks.ts')
      const removed = await removeAccount(machineOf(invocation), email)
      const { print } = invocation
      print.show(removed, () => `${print.colors.green('✓')} ${removed.email} removed`)
    })
}

interface CreateArguments {
  role: KeyRole
  tenant?: string
  operator?: boolean
}

function machineOf({ terminal, print, addressOf }: Invocation): Machine {
  return { environment: terminal.environment, address: addressOf('/'), remark: print.remark }
}

interface ListedAccount {
  email: string | null
  name: string
  tenants: string[]
  last_seen_at: string | null
}

const COLUMNS: Column<ListedAccount>[] = [
  { head: 'email', value: account => account.email ?? '(not given yet)', whole: true },
  { head: 'name', value: account => account.name },
  { head: 'tenants', value: account => account.tenants.join(', ') || 'none' },
  { head: 'last seen', value: account => formatMoment(account.last_seen_at), whole: true, optional: true },
]
