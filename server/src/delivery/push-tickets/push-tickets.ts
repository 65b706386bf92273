/**
 * Reads the receipts of pushes that a service accepted and could not deliver: only they say that a device is gone, or that
 * Apple or Google refuse our credentials. Nothing waits for them, and a receipt that is never read changes nothing.
 */
import { quarantineDevices } from '../../people/devices/devices.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import type { ProviderDirectory, ReceiptSource } from '../../providers/provider-configs/directory.ts'
import { raiseCredentialsRefused, resolveCredentialsRefused } from '../../providers/provider-configs/down.ts'
import type { Receipt } from '../../providers/services/provider.ts'
import { storeDeviceRefusals } from '../callbacks/callbacks.ts'
import {
  type ClaimedTicket,
  claimTickets,
  deleteTickets,
  postponeTickets,
  selectDueGroups,
  type TicketGroup,
} from './queries.ts'

export interface FetchOptions {
  pool: Pool
  directory: Pick<ProviderDirectory, 'receiptsOf'>
  signal: AbortSignal
}

/** Requests at the same time, each for another tenant or provider. */
const GROUPS_AT_ONCE = 4
/** Half of what Expo accepts in one request. */
const TICKETS_PER_REQUEST = 500
const INTERVAL_MS = 10_000

const FIRST_RETRY_SECONDS = 60
const FIRST_WAIT_SECONDS = 15 * 60
const LONGEST_WAIT_SECONDS = 4 * 3600
/** Until somebody has switched the provider on again. */
const NO_PROVIDER_SECONDS = 30 * 60

export function createReceiptFetcher(
  options: Omit<FetchOptions, 'signal'> & { wake: Wake; onError: (error: unknown) => void },
): Service {
  const stopping = new AbortController()
  const loop = createLoop({
    name: 'push receipts',
    round: async () => ((await fetchReceipts({ ...options, signal: stopping.signal })) > 0 ? 0 : INTERVAL_MS),
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
  return {
    ...loop,
    async stop() {
      stopping.abort()
      await loop.stop()
    },
  }
}

/** One request for each of the groups that have waited longest. Answers how many tickets were asked about. */
export async function fetchReceipts(options: FetchOptions): Promise<number> {
  const groups = await selectDueGroups(options.pool, GROUPS_AT_ONCE)
  const counts = await Promise.all(groups.map(group => fetchGroup(group, options)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function fetchGroup(group: TicketGroup, { pool, directory, signal }: FetchOptions): Promise<number> {
  const tickets = await claimTickets(pool, group, TICKETS_PER_REQUEST)
  if (tickets.length === 0) return 0
  const source = await directory.receiptsOf(group.tenant_id, group.provider_id)
  const ids = tickets.map(({ ticket }) => ticket)
  const receipts = await source?.fetch(ids, signal).catch(() => undefined)
  if (source === undefined) await postpone(pool, group, tickets, () => NO_PROVIDER_SECONDS)
  else if (receipts === undefined) await postpone(pool, group, tickets, growing(FIRST_RETRY_SECONDS))
  else await settle(pool, group, tickets, source, receipts)
  return tickets.length
}

async function settle(
  pool: Pool,
  group: TicketGroup,
  tickets: ClaimedTicket[],
  source: ReceiptSource,
  receipts: Map<string, Receipt>,
): Promise<void> {
  await postpone(
    pool,
    group,
    tickets.filter(({ ticket }) => !receipts.has(ticket)),
    growing(FIRST_WAIT_SECONDS),
  )
  const answered = tickets.filter(({ ticket }) => receipts.has(ticket))
  await transaction(pool, async tx => {
    const ours = await deleteTickets(tx, group, answered)
    const results = answered
      .filter(({ ticket }) => ours.has(ticket))
      .map(each => ({ ...each, receipt: receipts.get(each.ticket)! }))
    const gone = results.filter(({ receipt }) => receipt.kind === 'gone')
    // A device that was registered again since then does exist.
    await quarantineDevices(
      tx,
      gone.map(({ device_id, created_at }) => ({
        tenant_id: group.tenant_id,
        id: device_id,
        since: created_at,
      })),
    )
    await storeDeviceRefusals(
      tx,
      group.tenant_id,
      group.provider_id,
      results.flatMap(({ receipt, ...each }) =>
        receipt.kind === 'accepted' ? [] : [{ ...each, detail: receipt.message }],
      ),
    )
    const refused = results.find(({ receipt }) => receipt.kind === 'account')?.receipt
    if (refused?.kind === 'account') await raiseCredentialsRefused(tx, source.provider, refused.message)
    else if (results.some(({ receipt }) => receipt.kind === 'accepted'))
      await resolveCredentialsRefused(tx, source.provider)
  })
}

async function postpone(
  pool: Pool,
  group: TicketGroup,
  tickets: ClaimedTicket[],
  secondsOf: (claimCount: number) => number,
): Promise<void> {
  if (tickets.length === 0) return
  await postponeTickets(
    pool,
    group,
    tickets.map(({ ticket, claim_count }) => ({ ticket, claim_count, delaySeconds: secondsOf(claim_count) })),
  )
}

/** Twice as long each time. */
function growing(firstSeconds: number): (claimCount: number) => number {
  return claimCount => Math.min(firstSeconds * 2 ** Math.min(claimCount - 1, 10), LONGEST_WAIT_SECONDS)
}
