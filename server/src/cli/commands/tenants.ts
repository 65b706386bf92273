/** `carillon tenants`: for operators, what each tenant of the instance may use, and whether it runs. */
import type { Tenant } from '@carillon/contract'
import { type Command, InvalidArgumentError } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { renderFields } from '../output/fields.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'

export function addTenants(program: Command, open: Open): void {
  const tenants = program.command('tenants').description('the tenants of the instance')

  tenants
    .command('list', { isDefault: true })
    .description('every tenant, by name')
    .action(async (_options, command: Command) => {
      const { connect, print } = open(command)
      const { data } = await connect().tenants.list()
      print.list(data, columns(print.colors), { empty: 'No tenants.', more: false })
    })

  tenants
    .command('show')
    .argument('<id>', 'id of the tenant, from tenants list')
    .description('one tenant, with its quota and the progress of its deletion')
    .action(async (id: string, _options, command: Command) => show(open, command, c => c.tenants.get(id)))

  tenants
    .command('limit')
    .argument('<id>', 'id of the tenant')
    .option('--requests <per-minute>', 'requests per minute, or none', quota)
    .option('--routes <per-day>', 'messages per day, by recipient and channel, or none', quota)
    .option('--storage <mb>', 'megabytes of rows, or none', quota)
    .description('change what a tenant may use')
    .action(async (id: string, options: Quotas, command: Command) => {
      const { requests, routes, storage } = options
      const given = {
        ...(requests !== undefined && { requests_per_minute: orNull(requests) }),
        ...(routes !== undefined && { routes_per_day: orNull(routes) }),
        ...(storage !== undefined && { storage_mb: orNull(storage) }),
      }
      if (Object.keys(given).length === 0) command.error('error: give --requests, --routes or --storage')
      await show(open, command, client => client.tenants.update(id, { quota: given }))
    })

  tenants
    .command('suspend')
    .argument('<id>', 'id of the tenant')
    .option('--reason <text>', 'shown to the tenant', '')
    .description('suspend a tenant: its keys stop working, and what waits is not sent')
    .action(async (id: string, { reason }: { reason: string }, command: Command) =>
      show(open, command, client => client.tenants.suspend(id, { reason })),
    )

  tenants
    .command('resume')
    .argument('<id>', 'id of the tenant')
    .description('resume a tenant that is suspended or to be deleted')
    .action(async (id: string, _options, command: Command) =>
      show(open, command, client => client.tenants.resume(id)),
    )

  tenants
    .command('delete')
    .argument('<id>', 'id of the tenant')
    .option('--grace-days <days>', 'until then it can be resumed', wholeDays, 30)
    .description('delete a tenant with everything it has, after days of grace; it stops at once')
    .action(async (id: string, { graceDays }: { graceDays: number }, command: Command) =>
      show(open, command, client => client.tenants.delete(id, { grace_days: graceDays })),
    )
}

interface Quotas {
  requests?: number | 'none'
  routes?: number | 'none'
  storage?: number | 'none'
}

const orNull = (quota: number | 'none') => (quota === 'none' ? null : quota)

type Connected = ReturnType<ReturnType<Open>['connect']>

async function show(
  open: Open,
  command: Command,
  ask: (client: Connected) => Promise<Tenant>,
): Promise<void> {
  const { connect, print } = open(command)
  const tenant = await ask(connect())
  const { quota, deletion } = tenant
  print.show(tenant, () =>
    renderFields(
      [
        ['id', tenant.id],
        ['name', tenant.name],
        ['state', stateOf(tenant)],
        ['reason', tenant.suspension_reason],
        ['requests per minute', quota.requests_per_minute],
        ['routes per day', quota.routes_per_day],
        ['storage in MB', quota.storage_mb],
        ['stored bytes', tenant.storage_bytes],
        ['delete at', formatMoment(deletion?.delete_at ?? null)],
        ['rows deleted', deletion?.started_at ? `${deletion.rows_deleted} of ${deletion.rows}` : null],
      ],
      print.colors,
    ),
  )
}

function stateOf({ suspended_at, deletion }: Tenant): string {
  if (deletion?.started_at) return 'being deleted'
  if (deletion !== null) return 'to be deleted'
  return suspended_at === null ? 'active' : 'suspended'
}

/** commander takes null for "not given". */
function quota(given: string): number | 'none' {
  if (given === 'none') return given
  if (!/^[1-9][0-9]{0,8}$/.test(given))
    throw new InvalidArgumentError('Expected a whole number of at least 1, or none.')
  return Number(given)
}

function wholeDays(given: string): number {
  if (!/^[0-9]{1,3}$/.test(given)) throw new InvalidArgumentError('Expected a whole number of days.')
  return Number(given)
}

function columns({ green, yellow }: Colors): Column<Tenant>[] {
  return [
    { head: 'id', value: tenant => tenant.id, whole: true },
    { head: 'name', value: tenant => tenant.name },
    {
      head: 'state',
      value: stateOf,
      paint: (text, tenant) => (tenant.suspended_at === null ? green(text) : yellow(text)),
    },
    { head: 'created', value: tenant => formatMoment(tenant.created_at), whole: true, optional: true },
  ]
}
