/** How providers are doing: their breakers, whether their secrets can be opened, and whether their servers can be reached. */
import { type Config, providerOf } from '../../platform/config/config.ts'
import { PROVIDER_CHANNELS } from '../../platform/config/settings.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { AddressGuard } from '../../platform/outgoing/address-guard.ts'
import { whyUnreachable } from '../../platform/outgoing/reach.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { unseal } from '../../platform/secrets/sealed-rows.ts'
import { type ProviderConfigRow, selectSomeProviders } from './queries.ts'

export interface ProviderState {
  name: string
  kind: string
  channel: string
  tenant_id: string | null
  /** What is wrong with it, most serious first. */
  problems: string[]
}

/** A server that a provider sends to. */
export interface ProviderAddress {
  name: string
  channel: string
  host: string
  port: number
}

const CONNECT_MS = 3000
const AT_ONCE = 10

/**
 * Looks at up to `limit` active providers, those with an open breaker first, and at those of the environment that no process
 * has brought yet. Nothing is sent.
 */
export async function examineProviders(options: {
  db: Executor
  keyring: Keyring | undefined
  guard: AddressGuard
  environment: ProviderAddress[]
  limit: number
}): Promise<ProviderState[]> {
  const rows = await selectSomeProviders(options.db, options.limit)
  const isHere = ({ name, channel }: ProviderAddress) =>
    rows.some(row => row.tenant_id === null && row.name === name && row.channel === channel)
  const states = await Promise.all(options.environment.filter(each => !isHere(each)).map(examineAddress))
  for (let from = 0; from < rows.length; from += AT_ONCE)
    states.push(...(await Promise.all(rows.slice(from, from + AT_ONCE).map(row => examine(row, options)))))
  return states
}

async function examineAddress({ name, channel, host, port }: ProviderAddress): Promise<ProviderState> {
  const reason = await whyUnreachable({ host, port, timeoutMs: CONNECT_MS })
  const problems = reason === undefined ? [] : [unreachable({ host, port }, reason)]
  return { name, kind: name, channel, tenant_id: null, problems }
}

const unreachable = ({ host, port }: { host: string; port: number }, reason: string) =>
  `${host}:${port} cannot be reached: ${reason}`

async function examine(
  row: ProviderConfigRow,
  options: { keyring: Keyring | undefined; guard: AddressGuard; environment: ProviderAddress[] },
): Promise<ProviderState> {
  const problems: string[] = []
  if (row.breaker_state !== 'closed')
    problems.push(`its breaker is open: ${row.breaker_error || 'no reason given'}`)
  if (row.tenant_id !== null && options.keyring !== undefined && !opens(options.keyring, row))
    problems.push('its secrets cannot be opened with the master key')
  const address = addressOf(row, options.environment)
  if (address !== undefined) {
    // Mail servers are mostly on private networks, and like the environment's they are set up by operators alone.
    const isOperators = row.tenant_id === null || row.kind === 'smtp'
    const guard = isOperators ? undefined : options.guard
    const reason = await whyUnreachable({ ...address, timeoutMs: CONNECT_MS, guard })
    if (reason !== undefined) problems.push(unreachable(address, reason))
  }
  const { name, kind, channel, tenant_id } = row
  return { name, kind, channel, tenant_id, problems }
}

function opens(keyring: Keyring, row: ProviderConfigRow & { tenant_id: string }): boolean {
  try {
    unseal(keyring, 'provider_configs', row as Parameters<typeof unseal>[2])
    return true
  } catch {
    return false
  }
}

/** Where it sends; undefined for kinds that send to each recipient's own server, or to a name made from the message. */
function addressOf(row: ProviderConfigRow, environment: ProviderAddress[]) {
  if (row.tenant_id === null)
    return environment.find(({ name, channel }) => name === row.name && channel === row.channel)
  const { host, port, url, base_url, api_url } = row.config
  if (typeof host === 'string' && typeof port === 'number') return { host, port }
  return [url, base_url, api_url].map(hostAndPort).find(address => address !== undefined)
}

function hostAndPort(url: unknown): { host: string; port: number } | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { protocol, hostname, port } = new URL(url)
  if (hostname === '' || /[{}%]/.test(hostname)) return undefined
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || USUAL_PORTS[protocol] || 443 }
}

const USUAL_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443, 'smtp:': 587, 'smtps:': 465 }

export function environmentAddresses(config: Config): ProviderAddress[] {
  return PROVIDER_CHANNELS.flatMap(channel => {
    const name = providerOf(config, channel)
    if (name !== 'smtp' && name !== 'http') return []
    const url = name === 'smtp' ? config.CARILLON_SMTP_URL : config.CARILLON_HTTP_PROVIDER_URL
    const address = hostAndPort(url)
    return address === undefined ? [] : [{ name, channel, ...address }]
  })
}
