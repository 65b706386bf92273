/** One of everything that an operator makes, so that no page of the dashboard is without its subject. */
import type { Client } from '@carillon/sdk'

/** For the `$names` in the addresses of pages; by the page's path where a name means several things. */
type PageParams = Record<string, string>

export async function fillDashboard(client: Client): Promise<Record<string, PageParams>> {
  const provider = await client.providers.create({
    name: 'parcel-texts',
    kind: 'http',
    channel: 'sms',
    config: { url: 'https://texts.example.com/send' },
  })
  await client.providers.update(provider.id, { is_active: false })
  const webhook = await client.webhooks.create({
    description: 'Warehouse',
    url: 'https://warehouse.example.com/hooks',
    events: ['notification.delivered', 'notification.failed'],
  })
  const script = await client.scripts.create({
    name: 'remind-about-baskets',
    source: 'export default async function run(input) {\n  return input\n}\n',
  })
  const trigger = await client.triggers.create({
    kind: 'cron',
    name: 'Every morning',
    script_id: script.id,
    config: { cron: '0 8 * * *', timezone: 'Europe/Berlin' },
    is_enabled: false,
  })
  const schedule = await client.schedules.create({
    name: 'Weekly report',
    cron: '0 8 * * 1',
    timezone: 'Europe/Berlin',
    is_active: false,
    intent: {
      notification_type: 'invoice.paid',
      audience: { kind: 'users', user_ids: ['ada.lovelace'] },
      payload: { title: 'Your week', body: 'Twelve orders.' },
    },
  })
  await client.kv.set('carts', 'ada.lovelace', { value: { items: 3, total: '42.00' } })
  await client.templateParts.put('partial', 'item-row', { source: '<tr><td>{{ item.name }}</td></tr>' })
  await client.suppressions.add({ channel: 'email', address: 'gone@example.com', detail: 'Asked by phone' })
  await client.systemEvents.raise({
    event_type: 'disk_almost_full',
    severity: 'high',
    description: '91 % of the disk is used',
  })
  const [record] = (await client.records.list({ limit: 1 })).data
  const [event] = (await client.events.list({ limit: 1 })).data
  const [letter] = (await client.deadLetters.list({ limit: 1 })).data
  return {
    '/activity': { id: record!.notification_id },
    '/events': { id: event!.event_id },
    '/people': { id: 'ada.lovelace' },
    '/dead-letters': { id: letter!.id },
    '/templates': { name: 'order.shipped', channel: 'email', locale: 'en' },
    '/template-parts': { kind: 'partial', name: 'item-row' },
    '/types': { name: 'order.shipped' },
    '/schedules': { id: schedule.id },
    '/triggers': { id: trigger.id },
    '/scripts': { id: script.id },
    '/kv': { collection: 'carts' },
    '/providers': { id: provider.id },
    '/webhooks': { id: webhook.id },
  }
}
