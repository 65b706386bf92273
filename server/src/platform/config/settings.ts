/**
 * Every setting of Carillon: its name, meaning and default. This list is the documentation: `carillon check-config`
 * prints it, docs/reference/settings.md is generated from it, and loading validates against it.
 */
import { HeaderValue } from '@carillon/contract'
import { z } from 'zod'
import { parseNetwork } from '../outgoing/address-guard.ts'

export const ROLES = ['api', 'delivery', 'fanout', 'dispatch', 'maintenance'] as const
export type Role = (typeof ROLES)[number]

/** Channels whose provider can be set up; in_app is always the inbox. */
export const PROVIDER_CHANNELS = ['email', 'sms', 'push', 'chat', 'webhook'] as const
export type ProviderChannel = (typeof PROVIDER_CHANNELS)[number]

const PROVIDER_NAMES = ['capture', 'http', 'smtp'] as const

export interface Setting {
  schema: z.ZodType
  default: string
  meaning: string
  /** Never printed; may be given as NAME_FILE, the path of a file that holds the value. */
  secret?: boolean
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]+$/, `Expected a whole number from ${min} to ${max}.`)
    .transform(Number)
    .refine(n => n >= min && n <= max, `Expected a whole number from ${min} to ${max}.`)

const optionalPort = z
  .string()
  .regex(/^[0-9]*$/, 'Expected a port from 0 to 65535, or nothing.')
  .transform(text => (text === '' ? undefined : Number(text)))
  .refine(port => port === undefined || port <= 65_535, 'Expected a port from 0 to 65535, or nothing.')

const url = (...protocols: string[]) =>
  z.string().refine(
    value => {
      try {
        return value === '' || protocols.includes(new URL(value).protocol)
      } catch {
        return false
      }
    },
    `Expected an address starting with ${protocols.map(p => `${p}//`).join(' or ')}.`,
  )

const list = <T extends string>(names: readonly T[]) =>
  z
    .string()
    .transform(partsOf)
    .pipe(z.array(z.enum(names)).min(1))

/** Pairs such as email=smtp. */
const byChannel = <T>(read: (value: string) => T | undefined, expected: string) =>
  z.string().transform((value, context): Partial<Record<ProviderChannel, T>> => {
    const pairs = partsOf(value).map(part => part.split('='))
    const chosen = pairs.map(([name, text = '']) => ({
      channel: PROVIDER_CHANNELS.find(channel => channel === name),
      value: read(text),
    }))
    if (!chosen.some(({ channel, value }) => channel === undefined || value === undefined))
      return Object.fromEntries(chosen.map(({ channel, value }) => [channel, value]))
    context.addIssue({ code: 'custom', message: `${expected}; channels ${PROVIDER_CHANNELS.join(', ')}.` })
    return z.NEVER
  })

const headers = z.string().transform((value, context) => {
  if (value === '') return {}
  try {
    return z.record(z.string(), HeaderValue(4000)).parse(JSON.parse(value))
  } catch {
    context.addIssue({ code: 'custom', message: 'Expected a JSON object of strings in printable ASCII.' })
    return z.NEVER
  }
})

export const SETTINGS = {
  PORT: { schema: wholeNumber(0, 65535), default: '8420', meaning: 'Port of the API; 0 picks a free one' },
  CARILLON_HEALTH_PORT: {
    schema: optionalPort,
    default: '',
    meaning:
      'Another port for /healthz, /readyz and /metrics. Empty: a process without the role api opens 8421, or a free one if that is taken; 0 picks a free one',
  },
  HOST: { schema: z.string().min(1), default: '127.0.0.1', meaning: 'Address that this process listens on' },
  CARILLON_DATA_DIR: {
    schema: z.string().min(1),
    default: './data',
    meaning: 'Folder for the embedded database, the first API key and the lock file',
  },
  DATABASE_URL: {
    schema: url('postgres:', 'postgresql:'),
    default: '',
    meaning: 'PostgreSQL server to use, version 15 or newer; empty starts the embedded one',
    secret: true,
  },
  REDIS_URL: {
    schema: url('redis:', 'rediss:'),
    default: '',
    meaning:
      'Redis server that counts limits and remembers unread counts; the database takes over while it is unavailable',
    secret: true,
  },
  NATS_URL: { schema: url('nats:', 'tls:'), default: '', meaning: 'Reserved for NATS sources', secret: true },
  CARILLON_ROLES: {
    schema: list(ROLES),
    default: ROLES.join(','),
    meaning: `What this process does: any of ${ROLES.join(', ')}; --roles overrides it`,
  },
  CARILLON_PUBLIC_URL: {
    schema: url('http:', 'https:'),
    default: '',
    meaning:
      'Public address of the API; without it, mails have neither an unsubscribe link nor a List-Unsubscribe header',
  },
  CARILLON_MASTER_KEY: {
    schema: z.string(),
    default: '',
    meaning:
      'Key that encrypts stored secrets: 32 bytes in base64; separate several with commas, the current one first. Empty uses a file in the data folder',
    secret: true,
  },
  CARILLON_ALLOWED_NETWORKS: {
    schema: z.string().transform(parseNetworks),
    default: '',
    meaning:
      'Private networks that tenants’ providers and webhooks may call, e.g. 10.1.0.0/16,fd00::/8; all other private addresses are refused',
  },
  CARILLON_DENIED_NETWORKS: {
    schema: z.string().transform(parseNetworks),
    default: '168.63.129.16/32',
    meaning:
      'Public networks that they may not call either, for services of your own or of your cloud; the default is the platform address of Azure',
  },
  CARILLON_TRUSTED_PROXIES: {
    schema: z.string().transform(parseNetworks),
    default: '',
    meaning:
      'Networks of the proxies in front of the API, e.g. 10.0.0.0/8; only they may state a caller’s address',
  },
  CARILLON_REQUEST_SECONDS: {
    schema: wholeNumber(1, 600),
    default: '30',
    meaning: 'Longest wait for a whole request to arrive; slower ones get 408',
  },
  CARILLON_WRONG_KEYS_PER_MINUTE: {
    schema: wholeNumber(1, 1_000_000),
    default: '60',
    meaning:
      'How many unknown, revoked or expired keys an address may send per minute and process before it gets 429; keys that worked go on working',
  },
  CARILLON_METRICS_KEY: {
    schema: z.string(),
    default: '',
    meaning:
      'What Prometheus has to send as its bearer token to read /metrics; empty lets everybody read them',
    secret: true,
  },
  CARILLON_LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    meaning: 'How much is logged',
  },
  CARILLON_REQUEST_LOG_LEVEL: {
    schema: z.enum(['error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    meaning: 'Level of the line that each HTTP request leaves in the log; probes leave theirs at debug',
  },
  CARILLON_DATABASE_POOL: {
    schema: wholeNumber(3, 200),
    default: '10',
    meaning: 'Maximum number of database connections; maintenance and hints use up to three more',
  },
  CARILLON_DATABASE_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 3600),
    default: '30',
    meaning:
      'Longest wait for one statement; then it is ended, and a connection that stays silent is replaced. Maintenance has more time',
  },
  CARILLON_LIVE_CONNECTIONS: {
    schema: wholeNumber(0, 1_000_000),
    default: '10000',
    meaning:
      'Maximum number of open inbox streams per process; each needs a file descriptor, so raise the limit of those too',
  },
  CARILLON_DELIVERY_CONCURRENCY: {
    schema: wholeNumber(1, 10_000),
    default: '500',
    meaning: 'Maximum number of messages sent at once, per channel and process',
  },
  CARILLON_DISPATCH_CONCURRENCY: {
    schema: wholeNumber(1, 10_000),
    default: '2000',
    meaning: 'Maximum number of outbox rows (webhooks and the like) claimed at once, per process',
  },
  CARILLON_WEBHOOK_CONCURRENCY: {
    schema: wholeNumber(1, 1000),
    default: '32',
    meaning:
      'Maximum number of simultaneous requests to one webhook endpoint, per process; fewer while it fails',
  },
  CARILLON_SCRIPT_WORKERS: {
    schema: wholeNumber(1, 64),
    default: '2',
    meaning:
      'Threads that run scripts, per process; for a while up to four times as many, so that no tenant waits for the scripts of another',
  },
  CARILLON_POLL_MS: {
    schema: wholeNumber(10, 60_000),
    default: '200',
    meaning: 'Longest wait before looking for due work; a hint usually arrives earlier',
  },
  CARILLON_LEASE_SECONDS: {
    schema: wholeNumber(1, 3600),
    default: '30',
    meaning: 'Time without a heartbeat after which other workers take over a worker’s messages',
  },
  CARILLON_SHUTDOWN_SECONDS: {
    schema: wholeNumber(1, 600),
    default: '15',
    meaning: 'How long a stopping process waits for messages in flight before it releases them',
  },
  CARILLON_CLEANUP_SECONDS: {
    schema: wholeNumber(1, 604_800),
    default: '3600',
    meaning: 'Interval of the retention sweep; how long things are kept is set per tenant',
  },
  CARILLON_METRICS_SECONDS: {
    schema: wholeNumber(1, 86_400),
    default: '60',
    meaning:
      'Interval at which the figures of GET /v1/metrics are counted; longer when the count itself takes long',
  },
  CARILLON_PROVIDERS: {
    schema: byChannel(
      name => PROVIDER_NAMES.find(known => known === name),
      `Expected pairs such as email=smtp; providers ${PROVIDER_NAMES.join(', ')}`,
    ),
    default: '',
    meaning:
      'Provider per channel for tenants without one of their own, e.g. email=smtp,sms=http. The other channels are captured; a channel that once had a provider is captured again only when you say so: email=capture',
  },
  CARILLON_PROVIDER_RATES: {
    schema: byChannel(
      text => (/^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : undefined),
      'Expected pairs such as email=600, messages per minute',
    ),
    default: '',
    meaning:
      'Maximum number of messages per minute through these providers, over all processes, e.g. email=600,sms=60',
  },
  CARILLON_PROVIDER_TIMEOUT_MS: {
    schema: wholeNumber(100, 600_000).transform(ms => Math.min(ms, 60_000)),
    default: '30000',
    meaning: 'Longest wait for one call of these providers; more than 60000 counts as 60000',
  },
  CARILLON_SMTP_URL: {
    schema: url('smtp:', 'smtps:'),
    default: '',
    meaning:
      'Mail server, e.g. smtp://user:password@mail.example.com:587; when set, email of tenants without a provider of their own goes through it. Set it in every process that delivers',
    secret: true,
  },
  CARILLON_SMTP_FROM: {
    schema: z.string().min(3),
    default: 'Carillon <carillon@localhost>',
    meaning: 'Sender of mails',
  },
  CARILLON_DKIM_DOMAIN: {
    schema: z.string(),
    default: '',
    meaning: 'Domain to sign mails for; empty leaves mails unsigned',
  },
  CARILLON_DKIM_SELECTOR: { schema: z.string().min(1), default: 'carillon', meaning: 'DKIM selector' },
  CARILLON_DKIM_PRIVATE_KEY: {
    schema: z.string(),
    default: '',
    meaning: 'DKIM private key in PEM format',
    secret: true,
  },
  CARILLON_HTTP_PROVIDER_URL: {
    schema: url('http:', 'https:'),
    default: '',
    meaning: 'Where the http provider posts messages',
    secret: true,
  },
  CARILLON_HTTP_PROVIDER_HEADERS: {
    schema: headers,
    default: '',
    meaning: 'Headers of the http provider as a JSON object',
    secret: true,
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

function parseNetworks(value: string, context: z.RefinementCtx): string[] {
  const blocks = partsOf(value)
  for (const block of blocks) {
    try {
      parseNetwork(block)
    } catch (error) {
      context.addIssue({ code: 'custom', message: `${(error as Error).message}.` })
    }
  }
  return blocks
}

function partsOf(list: string): string[] {
  return list
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
