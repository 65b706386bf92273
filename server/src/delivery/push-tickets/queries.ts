/** The SQL of push tickets. */
import type { Executor } from '../../platform/database/pool.ts'

/** The tickets of one provider of one tenant are asked about together. */
export interface TicketGroup {
  tenant_id: string
  provider_id: string
}

export interface ClaimedTicket {
  ticket: string
  notification_id: string
  route_id: string
  device_id: string
  claim_count: number
  created_at: Date
}

/** Nobody else gets a ticket for this long; whoever has asked and not come back by then is taken for dead. */
const LEASE_SECONDS = 300

/** Those with something due, longest waiting first. Skips from group to group, so that one with many costs no more. */
export async function selectDueGroups(db: Executor, limit: number): Promise<TicketGroup[]> {
  const { rows } = await db.query<TicketGroup>(
    `with recursive groups as (
       (select tenant_id, provider_id from push_tickets order by tenant_id, provider_id limit 1)
       union all
       select n.tenant_id, n.provider_id from groups g cross join lateral (
         select t.tenant_id, t.provider_id from push_tickets t
         where (t.tenant_id, t.provider_id) > (g.tenant_id, g.provider_id)
         order by t.tenant_id, t.provider_id limit 1
       ) n
     )
     select g.tenant_id, g.provider_id from groups g cross join lateral (
       select t.next_attempt_at from push_tickets t
       where t.tenant_id = g.tenant_id and t.provider_id = g.provider_id and t.next_attempt_at <= now()
       order by t.next_attempt_at limit 1
     ) first
     order by first.next_attempt_at limit $1`,
    [limit],
  )
  return rows
}

export async function claimTickets(
  db: Executor,
  { tenant_id, provider_id }: TicketGroup,
  limit: number,
): Promise<ClaimedTicket[]> {
  const { rows } = await db.query<ClaimedTicket>(
    `update push_tickets t set claim_count = t.claim_count + 1, next_attempt_at = now() + make_interval(secs => $4)
     where t.ctid = any (array(
       select x.ctid from push_tickets x
       where x.tenant_id = $1 and x.provider_id = $2 and x.next_attempt_at <= now()
       order by x.next_attempt_at limit $3 for update skip locked))
     returning t.ticket, t.notification_id, t.route_id, t.device_id, t.claim_count, t.created_at`,
    [tenant_id, provider_id, limit, LEASE_SECONDS],
  )
  return rows
}

const IS_STILL_OURS = `t.tenant_id = $1 and t.provider_id = $2 and t.ticket = mine.ticket
  and t.claim_count = mine.claim_count`

/** Answers the tickets that were still ours: what their receipts say counts once. */
export async function deleteTickets(
  db: Executor,
  { tenant_id, provider_id }: TicketGroup,
  tickets: ClaimedTicket[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ ticket: string }>(
    `delete from push_tickets t using unnest($3::text[], $4::integer[]) as mine (ticket, claim_count)
     where ${IS_STILL_OURS} returning t.ticket`,
    [tenant_id, provider_id, tickets.map(each => each.ticket), tickets.map(each => each.claim_count)],
  )
  return new Set(rows.map(row => row.ticket))
}

export async function postponeTickets(
  db: Executor,
  { tenant_id, provider_id }: TicketGroup,
  tickets: { ticket: string; claim_count: number; delaySeconds: number }[],
): Promise<void> {
  await db.query(
    `update push_tickets t set next_attempt_at = now() + make_interval(secs => mine.seconds)
     from unnest($3::text[], $4::integer[], $5::integer[]) as mine (ticket, claim_count, seconds)
     where ${IS_STILL_OURS}`,
    [
      tenant_id,
      provider_id,
      tickets.map(each => each.ticket),
      tickets.map(each => each.claim_count),
      tickets.map(each => each.delaySeconds),
    ],
  )
}
