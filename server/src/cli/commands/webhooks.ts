/** `carillon webhooks`: endpoints, what was delivered to them, and sending it again. */
import {
  DELIVERY_STATUSES,
  PAYLOAD_MODES,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  WEBHOOK_ORDERINGS,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookEventType,
  type WebhookQuery,
} from '@carillon/contract'
import { type Command, Option } from 'commander'
import { type Open, positiveNumber } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { recoverWebhook } from './recover-webhook.ts'

type ListOptions = { user?: string; state?: WebhookQuery['state'] }
interface CreateOptions {
  event: WebhookEventType[]
  type?: string[]
  category?: string[]
  description?: string
  payload?: Webhook['payload_mode']
  format?: Webhook['format']
  ordering?: Webhook['ordering']
}
type DeliveriesOptions = { status?: WebhookDelivery['status']; event?: string }
type RecoverOptions = { since: string; until?: string; rate?: number }

export function addWebhooks(program: Command, open: Open): void {
  const webhooks = program.command('webhooks').description('endpoints that receive events')

  webhooks
    .command('list', { isDefault: true })
    .option('--user <id>', 'only those of this user')
    .addOption(new Option('--state <state>').choices(['active', 'inactive', 'all']))
    .description('endpoints, oldest first')
    .action(async ({ user, state }: ListOptions, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const query = { user_id: user, state }
      const { rows, more } = await firstRows(page => client.webhooks.list({ ...query, ...page }), limit)
      print.list(rows, webhookColumns(print.colors), { empty: 'No webhooks.', more })
    })

  webhooks
    .command('create')
    .argument('<url>', 'where to send events; stream:nats or stream:redis publishes them')
    .addOption(new Option('--event <event...>', 'which events').choices(WEBHOOK_EVENTS).makeOptionMandatory())
    .option('--type <name...>', 'only for these notification types')
    .option('--category <name...>', 'only for these categories')
    .option('--description <text>')
    .addOption(new Option('--payload <mode>').choices(PAYLOAD_MODES))
    .addOption(new Option('--format <format>').choices(WEBHOOK_FORMATS))
    .addOption(new Option('--ordering <order>').choices(WEBHOOK_ORDERINGS))
    .description('create an endpoint; its signing secret is shown only once')
    .action(async (url: string, options: CreateOptions, command: Command) => {
      const { connect, print } = open(command)
      const webhook = await connect().webhooks.create({
        url,
        events: options.event,
        notification_types: options.type,
        categories: options.category,
        description: options.description,
        payload_mode: options.payload,
        format: options.format,
        ordering: options.ordering,
      })
      print.show(webhook, () => `${webhook.id}\n${webhook.secret}`)
      print.remark('Save the secret now: it will not be shown again.')
    })

  webhooks
    .command('test')
    .argument('<id>', 'id of the endpoint, from webhooks list')
    .addOption(
      new Option('--event <event>', 'which event').choices(WEBHOOK_EVENTS).default('notification.sent'),
    )
    .description('send a sample event now')
    .action(async (id: string, options: { event: WebhookEventType }, command: Command) => {
      const { connect, print, endWithFailure } = open(command)
      const delivery = await connect().webhooks.test(id, { event_type: options.event })
      print.show(delivery, () => renderTest(delivery, print.colors))
      if (!delivery.delivered) endWithFailure()
    })

  webhooks
    .command('deliveries')
    .argument('<id>', 'id of the endpoint')
    .addOption(new Option('--status <status>').choices(DELIVERY_STATUSES))
    .option('--event <event>', 'only deliveries of this event')
    .description('what was sent there, newest first')
    .action(async (id: string, { status, event }: DeliveriesOptions, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const query = { status, event_type: event }
      const { rows, more } = await firstRows(
        page => client.webhooks.deliveries(id, { ...query, ...page }),
        limit,
      )
      print.list(rows, deliveryColumns(print.colors), { empty: 'No deliveries.', more })
    })

  webhooks
    .command('redeliver')
    .argument('<id>', 'id of the endpoint')
    .argument('<delivery>', 'id of the delivery, from webhooks deliveries')
    .description('send a delivery again, with the same body and webhook-id')
    .action(async (id: string, delivery: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const again = await connect().webhooks.redeliver(id, delivery)
      print.show(again, () => `${print.colors.green('✓')} ${delivery} will be sent again as ${again.id}`)
    })

  webhooks
    .command('recover')
    .argument('<id>', 'id of the endpoint')
    .requiredOption('--since <time>', 'what failed after this time, e.g. 2026-01-31T09:30:00Z')
    .option('--until <time>', 'and before this time')
    .option('--rate <number>', 'at most this many per minute', positiveNumber)
    .description('send everything that failed again')
    .action(async (id: string, { since, until, rate }: RecoverOptions, command: Command) => {
      await recoverWebhook(open(command), id, { since, until, rate_limit: rate })
    })
}

function renderTest(delivery: WebhookDeliveryDetail, { green, red }: Colors): string {
  const [attempt] = delivery.attempts
  const took = `in ${attempt?.duration_ms ?? 0} ms`
  if (delivery.delivered) return `${green('✓')} delivered ${took}: ${delivery.response_status}`
  return `${red('✗')} failed ${took}: ${attempt?.error ?? ''}`
}

function webhookColumns({ green, red, yellow, dim }: Colors): Column<Webhook>[] {
  const paintOf = (webhook: Webhook) => {
    if (webhook.disabled_reason !== '') return red
    if (!webhook.is_active) return dim
    return webhook.is_paused ? yellow : green
  }
  return [
    { head: 'id', value: webhook => webhook.id, whole: true },
    { head: 'url', value: webhook => webhook.url },
    { head: 'events', value: webhook => webhook.events.join(' '), optional: true },
    { head: 'waiting', value: webhook => webhook.waiting },
    {
      head: 'state',
      value: webhook => stateOf(webhook),
      paint: (text, webhook) => paintOf(webhook)(text),
    },
  ]
}

function stateOf(webhook: Webhook): string {
  if (webhook.disabled_reason !== '') return `disabled: ${webhook.disabled_reason}`
  if (!webhook.is_active) return 'off'
  return webhook.is_paused ? 'paused' : 'active'
}

function deliveryColumns({ green, red, yellow }: Colors): Column<WebhookDelivery>[] {
  return [
    { head: 'id', value: delivery => delivery.id, whole: true },
    { head: 'created', value: delivery => formatMoment(delivery.created_at), whole: true, optional: true },
    { head: 'event', value: delivery => delivery.event_type },
    {
      head: 'status',
      value: delivery => delivery.status,
      paint: (text, delivery) => ({ delivered: green, retrying: yellow, failed: red })[delivery.status](text),
    },
    { head: 'answer', value: delivery => delivery.response_status ?? 'none' },
    { head: 'tries', value: delivery => delivery.attempt_count },
    {
      head: 'next try',
      value: delivery => formatMoment(delivery.next_retry_at),
      whole: true,
      optional: true,
    },
  ]
}
