/** What must hold of the outbox and of what waits for its rows: everything that is to happen will be dispatched. */
import { LONG_SECONDS, SOON_SECONDS, tableWalk, type Walk } from './invariant.ts'
import { leaseInvariants } from './record-invariants.ts'

/** `kinds` are those that a dispatcher has handlers for. */
export const outboxWalk = (kinds: readonly string[]): Walk =>
  tableWalk({
    name: 'outbox',
    table: 'outbox',
    key: [
      ['tenant_id', 'uuid'],
      ['id', 'uuid'],
    ],
    columns: [
      'source_kind',
      'op',
      'attempt_count',
      'claim_count',
      'lease_owner',
      'lease_until',
      'created_at',
    ],
    invariants: [
      {
        name: 'outbox_has_handler',
        holds: 'Every row of the outbox is of a kind that dispatchers know.',
        advice:
          'It was written by a newer version: update every process. Otherwise nobody will ever dispatch it; delete it.',
        graceSeconds: LONG_SECONDS,
        broken: `x.source_kind <> all (array[${kinds.map(kind => `'${kind}'`).join(', ')}]::text[])`,
        item: 'x.id',
        since: 'x.created_at',
        details: `jsonb_build_object('source_kind', x.source_kind, 'op', x.op)`,
      },
      ...leaseInvariants('outbox', 'x.id'),
    ],
  })

export const letterWalk: Walk = tableWalk({
  name: 'open dead letters',
  table: 'dead_letters',
  key: [
    ['tenant_id', 'uuid'],
    ['notification_id', 'uuid'],
    ['route_id', 'text'],
  ],
  columns: ['id', 'created_at'],
  where: `x.resolved_at is null and x.notification_id is not null`,
  invariants: [
    {
      name: 'letter_has_source',
      holds: 'Every open dead letter of a route is about one that was given up.',
      advice: 'The route has moved on without it. Resolve the letter: carillon dead-letters resolve <id>.',
      graceSeconds: SOON_SECONDS,
      broken: `not exists (
        select from routes r where r.tenant_id = x.tenant_id and r.notification_id = x.notification_id
          and r.route_id = x.route_id and r.status = 'dead')`,
      item: 'x.id',
      since: 'x.created_at',
    },
  ],
})

export const deliveryWalk: Walk = tableWalk({
  name: 'webhook deliveries',
  table: 'webhook_deliveries',
  key: [
    ['tenant_id', 'uuid'],
    ['id', 'uuid'],
  ],
  columns: ['webhook_id', 'next_retry_at', 'created_at', 'attempt_count'],
  invariants: [
    {
      name: 'delivery_has_row',
      holds: 'Every webhook delivery that is to be repeated has its row in the outbox.',
      advice: 'It will not be repeated by itself: carillon webhooks redeliver <id>.',
      graceSeconds: SOON_SECONDS,
      broken: `x.next_retry_at is not null
        and not exists (select from outbox o where o.tenant_id = x.tenant_id and o.id = x.id)`,
      item: 'x.id',
      since: 'x.next_retry_at',
      state: 'x.attempt_count',
      details: `jsonb_build_object('webhook_id', x.webhook_id)`,
    },
  ],
})

export const recoveryWalk: Walk = tableWalk({
  name: 'webhook recoveries',
  table: 'webhook_recoveries',
  key: [
    ['tenant_id', 'uuid'],
    ['id', 'uuid'],
  ],
  columns: ['webhook_id', 'finished_at', 'redelivered', 'created_at'],
  invariants: [
    {
      name: 'recovery_has_row',
      holds: 'Every recovery of a webhook that has not ended has its row in the outbox, or was given up.',
      advice: 'It will not go on. Start another one: carillon webhooks recover <webhook>.',
      graceSeconds: SOON_SECONDS,
      broken: `x.finished_at is null and not exists (
        select from outbox o where o.tenant_id = x.tenant_id and o.source_kind = 'webhook_recovery'
          and o.target_id = x.webhook_id and o.context ->> 'recovery_id' = x.id::text
      ) and not exists (
        select from dead_letters d where d.tenant_id = x.tenant_id and d.source = 'webhook_recovery'
          and d.target_id = x.webhook_id and d.created_at > x.created_at)`,
      item: 'x.id',
      since: 'x.created_at',
      state: 'x.redelivered',
      details: `jsonb_build_object('webhook_id', x.webhook_id)`,
    },
  ],
})
