/**
 * Every setting of Carillon: its name, meaning and default. This list is the documentation: `carillon check-config`
 * prints it, docs/reference/settings.md is generated from it, and loading validates against it.
 */
import { z } from 'zod'
import {
  checkNatsServers,
  headers,
  list,
  optionalPort,
  parseNetworks,
  partsOf,
  redisUrl,
  share,
  url,
  wholeNumber,
} from './setting-kinds.ts'
import { streamSettings } from './stream-settings.ts'

export const ROLES = ['api', 'ingest', 'delivery', 'fanout', 'dispatch', 'maintenance'] as const
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
  DATABASE_OWNER_URL: {
    schema: url('postgres:', 'postgresql:'),
    default: '',
    meaning:
      'The same database for the role that owns the schema and migrates it, so that DATABASE_URL can be of one that only reads and writes rows; empty uses DATABASE_URL',
    secret: true,
  },
  CARILLON_POOLER_URL: {
    schema: url('postgres:', 'postgresql:'),
    default: '',
    meaning:
      'A pooler in transaction mode, such as PgBouncer, in front of the same database: statements go through it. DATABASE_URL stays the server itself, for migrations, hints and maintenance',
    secret: true,
  },
  REDIS_URL: {
    schema: redisUrl,
    default: '',
    meaning:
      'Redis server that counts limits and remembers unread counts; the database takes over while it is unavailable. Streams of Redis without an address of their own are there too',
    secret: true,
  },
  NATS_URL: {
    schema: z.string().superRefine(checkNatsServers),
    default: '',
    meaning:
      'NATS servers with the streams that have no address of their own, e.g. nats://user:password@a:4222,nats://b:4222; tls:// is encrypted, and ?credentials=<file> at the end names a file made by nsc',
    secret: true,
  },
  CARILLON_STREAMS: {
    schema: streamSettings,
    default: '',
    meaning:
      'Streams to read intents from, by the role ingest: a JSON list such as [{"name": "orders", "url": "redis://127.0.0.1:6379", "key": "intents"}, {"name": "billing", "url": "nats://127.0.0.1:4222", "stream": "INTENTS", "subject": "intents.>", "tenant": "acme"}]',
    secret: true,
  },
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
  CARILLON_PLAYGROUND: {
    schema: z.enum(['', 'on', 'off']),
    default: '',
    meaning:
      'Whether there is a page at /playground, for whoever has the link that carillon playground prints: on or off. Empty: only with the embedded database',
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
  CARILLON_TRACES_URL: {
    schema: url('http:', 'https:'),
    default: '',
    meaning:
      'Where an OpenTelemetry collector takes OTLP over HTTP, e.g. http://127.0.0.1:4318/v1/traces; empty records no traces',
    secret: true,
  },
  CARILLON_TRACES_RATIO: {
    schema: share,
    default: '1',
    meaning:
      'Share of the traces beginning here that are recorded, from 0 to 1; one that a caller began is recorded if its traceparent says so',
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
    meaning:
      'Maximum number of database connections; with hints one more, and with the role maintenance two more',
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
  CARILLON_OUTPUT_NATS_URL: {
    schema: z.string().superRefine(checkNatsServers),
    default: '',
    meaning:
      'NATS with JetStream that webhooks with the address stream:nats publish to, e.g. nats://user:password@a:4222,nats://b:4222; set it in every process with the role api or dispatch',
    secret: true,
  },
  CARILLON_OUTPUT_REDIS_URL: {
    schema: redisUrl,
    default: '',
    meaning:
      'Redis that webhooks with the address stream:redis publish to; one that writes to disk, and not the one of REDIS_URL, which may forget. Set it in every process with the role api or dispatch',
    secret: true,
  },
  CARILLON_OUTPUT_NAME: {
    schema: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'Expected at most 32 small letters, digits, _ and -.'),
    default: 'carillon',
    meaning:
      'What the subjects and streams of published events begin with: <name>.events.<tenant>.<event> in NATS, <name>:events:<tenant> in Redis',
  },
  CARILLON_OUTPUT_REDIS_ENTRIES: {
    schema: wholeNumber(0, 1_000_000_000),
    default: '1000000',
    meaning: 'About how many events each tenant’s stream in Redis keeps; 0 keeps all',
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
    meaning:
      'Interval of the retention sweep and of moving finished records to the archive; how long things are kept is set per tenant',
  },
  CARILLON_ARCHIVE_EXPORT_DIR: {
    schema: z.string(),
    default: '',
    meaning:
      'Folder for the months of the archive that are past their retention, as compressed NDJSON; without it they are only dropped',
  },
  CARILLON_METRICS_SECONDS: {
    schema: wholeNumber(1, 86_400),
    default: '60',
    meaning:
      'Interval at which the figures of GET /v1/metrics are counted; longer when the count itself takes long',
  },
  CARILLON_RECONCILE_SECONDS: {
    schema: wholeNumber(1, 86_400),
    default: '300',
    meaning:
      'Interval at which the reconciler begins to look through all tables again; longer when that itself takes long',
  },
  CARILLON_BACKUP_DIR: {
    schema: z.string(),
    default: '',
    meaning:
      'Folder for backups of the embedded database, on another disk; with it, the log is archived as it is written and backups are made by themselves',
  },
  CARILLON_BACKUP_PASSPHRASE: {
    schema: z.string().refine(text => text === '' || text.length >= 12, 'Expected at least 12 characters.'),
    default: '',
    meaning:
      'Encrypts the master key inside backups, at least 12 characters; keep it where the backups are not',
    secret: true,
  },
  CARILLON_BACKUP_HOURS: {
    schema: wholeNumber(1, 720),
    default: '24',
    meaning: 'Time from one full backup to the next',
  },
  CARILLON_BACKUP_KEEP_DAYS: {
    schema: wholeNumber(1, 3650),
    default: '30',
    meaning: 'How far back a restore can go; what is older and no longer needed for that is deleted',
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
