/** What a shop would publish: a mail with the usual layout, brand, translations and a row per item; and a short text. */

import { changeBranding } from '../../../server/dist/content/branding/branding.js'
import { putTemplatePart } from '../../../server/dist/content/template-parts/template-parts.js'
import { publishTemplate } from '../../../server/dist/content/templates/publish.js'
import { saveTemplate } from '../../../server/dist/content/templates/templates.js'
import { putTranslations } from '../../../server/dist/content/translations/translations.js'
import type { Principal } from '../../../server/dist/platform/calls/principal.js'
import { type Pool, transaction } from '../../../server/dist/platform/database/pool.js'

/** A type and its templates. */
export const NAME = 'order_dispatched'

const MESSAGES = {
  'order.parcels': '.input {$count :integer}\n.match $count\none {{one parcel}}\n* {{{$count} parcels}}',
  'order.track': 'Track it',
}

/** The messages translated for ORDER, for plain Liquid, which cannot translate. */
export const TRANSLATED: Record<string, string> = {
  'order.parcels': '2 parcels',
  'order.track': 'Track it',
  'links.unsubscribe': 'Unsubscribe',
  'links.preferences': 'Manage notifications',
}

export const ORDER = {
  order: {
    number: 48151,
    parcels: 2,
    total: '€ 214.50',
    items: [
      'Teapot, blue',
      'Tea “First Flush”',
      'Cup & saucer',
      'Strainer',
      'Honey',
      'Tray',
      'Kettle',
      'Cosy',
    ].map((name, place) => ({ name, quantity: place + 1, price: `€ ${(place * 7 + 4.5).toFixed(2)}` })),
  },
  tracking_url: 'https://northwind.example/orders/48151?parcel=RR123456785DE&lang=en',
}

const VARIABLES = ['order', 'tracking_url', 'note'].map(name => ({
  name,
  required: name !== 'note',
  description: '',
}))

const MAIL = `<h1>Your order is on its way</h1>
<p>We handed {{ 'order.parcels' | t: count: order.parcels }} to the carrier today.</p>
<p><a class="button" href="{{ tracking_url }}">{{ 'order.track' | t }}</a></p>
<table class="data">
  <tr><th>Item</th><th class="number">Price</th></tr>
  {% for item in order.items %}{% render 'order-item', item: item %}{% endfor %}
  <tr><td>Total</td><td class="number">{{ order.total }}</td></tr>
</table>
{% if note %}<p class="muted">{{ note }}</p>{% endif %}`

const ITEM = `<tr><td>{% if item.quantity > 1 %}{{ item.quantity }} × {% endif %}{{ item.name }}</td>
<td class="number">{{ item.price }}</td></tr>`

const SHORT = '{{ branding.name }}: order {{ order.number }} is on its way. {{ tracking_url }}'

export async function publishOrderTemplates(pool: Pool, tenantId: string): Promise<void> {
  const principal = { tenant_id: tenantId, user_id: null } as Principal
  await changeBranding(pool, tenantId, {
    name: 'Northwind Teas',
    primary_color: '#1f7a5c',
    website_url: 'https://northwind.example',
    footer: 'Northwind Teas · Hafenstraße 12 · 20457 Hamburg',
  })
  await putTranslations(pool, tenantId, 'en', MESSAGES)
  await putTemplatePart(pool, tenantId, { kind: 'partial', name: 'order-item', source: ITEM })
  const templates = {
    email: { subject: 'Order {{ order.number }} is on its way', body: MAIL, variables: VARIABLES },
    sms: { body: SHORT, variables: VARIABLES },
  }
  for (const channel of ['email', 'sms'] as const) {
    const key = { name: NAME, channel, locale: 'en' }
    await saveTemplate(pool, principal, key, templates[channel])
    await transaction(pool, tx =>
      publishTemplate(tx, principal, key, { only_if_changed: false, replace_waiting: false }),
    )
  }
}
