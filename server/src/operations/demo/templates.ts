/** Two mails and a text message, so that there is something to edit. */
import type { Channel } from '@carillon/contract'

interface DemoTemplate {
  key: { name: string; channel: Channel; locale: string }
  input: { subject?: string; body: string; variables: { name: string; sample: string }[] }
}

const ORDER = [
  { name: 'order', sample: 'A-20017' },
  { name: 'carrier', sample: 'DHL' },
]
const INVOICE = [
  { name: 'invoice', sample: 'INV-3017' },
  { name: 'amount', sample: '49.90 EUR' },
]

export const TEMPLATES: DemoTemplate[] = [
  {
    key: { name: 'order.shipped', channel: 'email', locale: 'en' },
    input: {
      subject: 'Your order {{ order }} is on its way',
      body: '<h1>It is on its way</h1>\n<p>Your order <b>{{ order }}</b> left our warehouse with {{ carrier }}.</p>\n',
      variables: ORDER,
    },
  },
  {
    key: { name: 'order.shipped', channel: 'sms', locale: 'en' },
    input: { body: 'Your order {{ order }} is on its way with {{ carrier }}.', variables: ORDER },
  },
  {
    key: { name: 'invoice.paid', channel: 'email', locale: 'en' },
    input: {
      subject: 'Receipt {{ invoice }}',
      body: '<h1>Thank you</h1>\n<p>We received {{ amount }} for invoice {{ invoice }}.</p>\n',
      variables: INVOICE,
    },
  },
]
