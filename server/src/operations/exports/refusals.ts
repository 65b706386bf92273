/** What an import does not take, beside files that are not whole. */
import { findTenantByName } from '../../oversight/tenants/tenants.ts'
import type { Connection } from '../../platform/database/pool.ts'
import type { Release } from '../../platform/database/release.ts'
import type { Header } from './file.ts'
import { selectClash, selectForeignReference } from './queries.ts'
import type { Table } from './tables.ts'

export type ReleaseNumbers = Pick<Release, 'number' | 'compatible_since'>

/** Rows of an older release are good if its processes could have written them here: that is what compatible means. */
export function refuseOtherReleases({ release }: Header, own: ReleaseNumbers): void {
  if (release > own.number)
    throw new Error(
      `The file was written by a newer Carillon (release ${release}); this one is release ${own.number}. Upgrade it first.`,
    )
  if (release < own.compatible_since)
    throw new Error(
      `The file was written by release ${release}, and this Carillon reads those from ${own.compatible_since} on. Upgrade the other one first, and export again.`,
    )
}

export async function refuseClash(
  client: Connection,
  tenant: { id: string; name: string },
  as: string | undefined,
): Promise<void> {
  // The first tenant is the operator's. One that came suspended would lock everybody out: nobody could resume it.
  if ((await findTenantByName(client, undefined)) === undefined)
    throw new Error('This instance has no tenant of its own yet. Start it once, and then import.')
  const clash = await selectClash(client, tenant.id, tenant.name)
  if (clash === undefined) return
  if (clash.id === tenant.id) throw new Error(`The tenant ${clash.name} (${clash.id}) is here already.`)
  throw new Error(
    `Another tenant has the name ${clash.name} already. ${as === undefined ? 'Give --as <name>' : 'Choose another one'}.`,
  )
}

/** Nothing of this tenant may count against, or be taken for, what belongs to another one. */
export async function refuseForeignReferences(
  client: Connection,
  table: Table,
  tenantId: string,
): Promise<void> {
  const column = await selectForeignReference(client, table, tenantId)
  if (column === undefined) return
  throw new Error(`The file has a ${table.name}.${column} that belongs to another tenant of this instance.`)
}
