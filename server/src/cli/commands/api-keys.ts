/** `carillon api-keys`: list, create, revoke and recover API keys. */
import { type ApiKey, KEY_ROLES, type KeyRole, SCOPES, type Scope } from '@carillon/contract'
import { type Command, Option } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'

export function addApiKeys(program: Command, open: Open): void {
  const keys = program.command('api-keys').alias('keys').description('API keys')

  keys
    .command('list', { isDefault: true })
    .description('every key, newest first; the keys themselves are not stored')
    .action(async (_options, command: Command) => {
      const { connect, print, limit } = open(command)
      const { rows, more } = await firstRows(connect().apiKeys.list, limit)
      print.list(rows, columns(print.colors), { empty: 'No keys.', more })
    })

  keys
    .command('create')
    .argument('<name>', 'what the key is for')
    .addOption(new Option('--scope <scope...>', 'what it may do').choices(SCOPES).conflicts('role'))
    .addOption(new Option('--role <role>', 'a role, instead of scopes').choices(KEY_ROLES))
    .option('--expires <time>', 'when it stops working, e.g. 2027-01-31T09:30:00Z')
    .option('--user <id>', 'the user it belongs to')
    .option(
      '--producer <name...>',
      'whom it may send as; without, only as itself, and as an owner as anybody',
    )
    .description('create a key; it is shown only once')
    .action(
      async (
        name: string,
        options: { scope?: Scope[]; role?: KeyRole; expires?: string; user?: string; producer?: string[] },
        command: Command,
      ) => {
        const { scope, role } = options
        if (scope === undefined && role === undefined) command.error('error: give --scope or --role')
        const { connect, print } = open(command)
        const key = await connect().apiKeys.create({
          name,
          ...(role === undefined ? { scopes: scope ?? null } : { role }),
          ...(options.expires !== undefined && { expires_at: options.expires }),
          ...(options.user !== undefined && { user_id: options.user }),
          ...(options.producer !== undefined && { producers: options.producer }),
        })
        print.show(key, () => key.key)
        print.remark('Save it now: it will not be shown again.')
      },
    )

  keys
    .command('revoke')
    .argument('<id>', 'id of the key, from api-keys list')
    .description('revoke a key; it stops working at once')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      await connect().apiKeys.delete(id)
      print.show({ id, revoked: true }, () => `${print.colors.green('✓')} ${id} revoked`)
    })

  keys
    .command('recover')
    .option('--tenant <name>', 'whose owner gets it; default: the first tenant’s, who manages the instance')
    .description(
      'create an owner’s key on the server’s machine, for when none is left; it is shown only once',
    )
    .action(async ({ tenant }: { tenant?: string }, command: Command) => {
      const { terminal, print } = open(command)
      const { recoverKey } = await import('./recover-key.ts')
      const key = await recoverKey(terminal.environment, tenant, print.remark)
      print.show(key, () => key.key)
      print.remark(`An owner’s key of the tenant ${key.tenant}. Save it now: it will not be shown again.`)
    })

  keys
    .command('rotate-master')
    .description(
      'encrypt every stored secret with a new master key; processes of this data folder learn it by themselves',
    )
    .action(async (_options, command: Command) => {
      const { terminal, print } = open(command)
      const { rotateMasterKey } = await import('./rotate-master.ts')
      const rotated = await rotateMasterKey(terminal, print.remark)
      print.show(rotated, () => {
        const done = `${print.colors.green('✓')} ${rotated.reencrypted} secrets are now encrypted with key ${rotated.key_id}`
        const day = rotated.links_until.slice(0, 10)
        return rotated.keep_in_setting
          ? `${done}\nKeep the old key in CARILLON_MASTER_KEY until ${day}, behind the new one: it verifies the links in mails that have been sent.`
          : `${done}\nThe old key verifies the links in mails that have been sent until ${day}, and nothing else.`
      })
    })
}

function columns({ dim, green }: Colors): Column<ApiKey>[] {
  return [
    { head: 'id', value: key => key.id, whole: true },
    { head: 'name', value: key => key.name },
    { head: 'key', value: key => key.hint },
    { head: 'scopes', value: key => key.scopes?.join(' ') ?? 'none' },
    {
      head: 'state',
      value: key => (key.is_active ? 'active' : 'revoked'),
      paint: (text, key) => (key.is_active ? green(text) : dim(text)),
    },
    { head: 'expires', value: key => formatMoment(key.expires_at), whole: true, optional: true },
    { head: 'last used', value: key => formatMoment(key.last_used_at), whole: true, optional: true },
  ]
}
