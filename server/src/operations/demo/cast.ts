/** Who and what the demo is about: a shop that also builds its software in the open. */
import type { Channel } from '@carillon/contract'

const NAMES = [
  'Ada Lovelace',
  'Grace Hopper',
  'Alan Turing',
  'Katherine Johnson',
  'Edsger Dijkstra',
  'Barbara Liskov',
  'Donald Knuth',
  'Margaret Hamilton',
  'Linus Torvalds',
  'Radia Perlman',
  'Tim Berners-Lee',
  'Frances Allen',
  'Ken Thompson',
  'Annie Easley',
  'Dennis Ritchie',
  'Shafi Goldwasser',
  'John Backus',
  'Adele Goldberg',
  'Niklaus Wirth',
  'Sophie Wilson',
  'José Valim',
  'Yukihiro Matsumoto',
  'Mary Kenneth Keller',
  'Tony Hoare',
  'Karen Spärck Jones',
  'Alonzo Church',
  'Evelyn Boyd Granville',
  'Claude Shannon',
  'Joan Clarke',
  'Peter Naur',
  'Lynn Conway',
  'Ivan Sutherland',
  'Hedy Lamarr',
  'Konrad Zuse',
  'Rózsa Péter',
  'محمد الخوارزمي',
] // prettier-ignore

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Europe/Lisbon', 'America/Sao_Paulo', 'UTC']
const LOCALES = ['en', 'de', 'fr', 'es', 'pt', 'ja']

export interface Person {
  id: string
  email: string
  username: string
  phone: string | null
  locale: string
  timezone: string
}

export const PEOPLE: Person[] = NAMES.map((name, i) => {
  const plain = name
    .normalize('NFD')
    .replace(/[^\w .-]/g, '')
    .trim()
  const id = plain === '' ? `person-${i}` : plain.toLowerCase().replace(/[ .-]+/g, '.')
  return {
    id,
    email: `${id}@example.com`,
    username: name,
    phone: i % 3 === 2 ? null : `+1555010${String(i).padStart(4, '0')}`,
    locale: LOCALES[i % LOCALES.length]!,
    timezone: ZONES[i % ZONES.length]!,
  }
})

export interface Kind {
  name: string
  description: string
  category: string
  producer: string
  channels: Channel[]
  required: string[]
  /** How often, compared with the others. */
  weight: number
  /** How many people at most. */
  people: number
  critical?: boolean
  digest?: object
  payload(number: number): Record<string, string | number>
}

const TOPICS = ['shop', 'checkout', 'mobile-app'] as const
export const topicOf = (number: number): string => TOPICS[number % TOPICS.length]!
export const threadTitle = (number: number): string => TITLES[number % TITLES.length]!

const TITLES = [
  'Card payments fail for Maestro',
  'Dark mode for the receipt page',
  'Search forgets the chosen size',
  'Slow start on older phones',
  'Export orders as CSV',
  'Wrong currency in the summary mail',
  'Translate the return form',
  'Retry webhooks of the warehouse',
]

export const KINDS: Kind[] = [
  {
    name: 'comment.created',
    description: 'Somebody commented on an issue',
    category: 'discussion',
    producer: 'issues',
    channels: ['in_app', 'email'],
    required: ['title', 'body'],
    weight: 34,
    people: 5,
    payload: n => ({
      title: threadTitle(n),
      body: 'I can reproduce this on the staging shop.',
      issue: 1000 + (n % 90),
    }),
  },
  {
    name: 'mention',
    description: 'Somebody mentioned you',
    category: 'discussion',
    producer: 'issues',
    channels: ['in_app', 'email', 'push'],
    required: ['title'],
    weight: 14,
    people: 1,
    payload: n => ({ title: `You were mentioned in “${threadTitle(n)}”`, issue: 1000 + (n % 90) }),
  },
  {
    name: 'order.shipped',
    description: 'A parcel is on its way',
    category: 'orders',
    producer: 'shop',
    channels: ['email', 'sms', 'push'],
    required: ['order', 'carrier'],
    weight: 26,
    people: 1,
    payload: n => ({
      order: `A-${20_000 + n}`,
      carrier: n % 2 === 0 ? 'DHL' : 'UPS',
      title: 'Your order is on its way',
    }),
  },
  {
    name: 'invoice.paid',
    description: 'The receipt of a payment',
    category: 'billing',
    producer: 'billing',
    channels: ['email'],
    required: ['invoice', 'amount'],
    weight: 15,
    people: 1,
    payload: n => ({
      invoice: `INV-${3000 + n}`,
      amount: `${(n % 900) + 9}.90 EUR`,
      title: 'Thank you for your payment',
    }),
  },
  {
    name: 'login.alert',
    description: 'A sign-in from a new device',
    category: 'security',
    producer: 'identity',
    channels: ['email', 'sms'],
    required: ['device'],
    weight: 6,
    people: 1,
    critical: true,
    payload: n => ({
      device: n % 2 === 0 ? 'Firefox on Linux' : 'Safari on iPhone',
      title: 'New sign-in to your account',
    }),
  },
  {
    name: 'deploy.finished',
    description: 'A version is live',
    digest: { window: 3600, key: 'title', first_at_once: true },
    category: 'operations',
    producer: 'pipeline',
    channels: ['chat', 'in_app'],
    required: ['version'],
    weight: 5,
    people: 3,
    payload: n => ({ version: `2026.11.${n % 40}`, title: 'A new version is live' }),
  },
]

export const CATEGORIES = [
  { category: 'discussion', name: 'Discussion', description: 'Comments and mentions', required: false },
  { category: 'orders', name: 'Orders', description: 'Parcels and returns', required: false },
  { category: 'billing', name: 'Billing', description: 'Receipts and reminders', required: false },
  { category: 'security', name: 'Security', description: 'Sign-ins and passwords', required: true },
  { category: 'operations', name: 'Operations', description: 'Deployments and incidents', required: false },
]

export { TOPICS }
