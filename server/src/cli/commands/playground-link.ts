/** Signs a link to the playground with the key of the instance on this machine. */
import { LINK_MS, playgroundLink } from '../../operations/playground/visitors.ts'
import { findTenantByName } from '../../oversight/tenants/tenants.ts'
import { type Environment, hasPlayground, loadConfig } from '../../platform/config/config.ts'
import { openInstance } from './open-instance.ts'

export async function makePlaygroundLink(
  environment: Environment | undefined,
  tenantName: string | undefined,
  address: string,
  remark: (line: string) => void,
) {
  const config = loadConfig(environment)
  if (!hasPlayground(config))
    throw new Error(
      'The playground is switched off, as it is with a database of your own. CARILLON_PLAYGROUND=on, also for the server, switches it on.',
    )
  const { client, keyring, close } = await openInstance(config, remark)
  try {
    const tenant = await findTenantByName(client, tenantName)
    if (tenant === undefined) throw new Error(`There is no tenant ${tenantName ?? 'yet'}.`)
    const now = Date.now()
    const url = playgroundLink(keyring, config.CARILLON_PUBLIC_URL || address, tenant.id, now)
    return { url, tenant: tenant.name, expires_at: new Date(now + LINK_MS).toISOString() }
  } finally {
    await close()
  }
}
