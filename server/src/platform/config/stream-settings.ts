/** CARILLON_STREAMS: which streams to read intents from. The environment says where they are; nothing here is policy. */
import { z } from 'zod'
import { parseNatsServers } from '../streams/nats-servers.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { isRedisUrl, REDIS_URL_EXPECTED } from './redis-url.ts'

interface CommonSetting {
  name: string
  /** '' = REDIS_URL or NATS_URL. */
  url: string
  /** The name of the tenant whose intents these are; '' = the first tenant. */
  tenant: string
  /** Of intents that name none. */
  producer: string
  /** The consumer group of a Redis stream, the durable consumer of a NATS stream. */
  group: string
}
export interface RedisStreamSetting extends CommonSetting {
  kind: 'redis'
  key: string
  deleteAcknowledged: boolean
}
export interface NatsStreamSetting extends CommonSetting {
  kind: 'nats'
  stream: string
  /** '' = every subject of the stream. */
  subject: string
}
export type StreamSetting = RedisStreamSetting | NatsStreamSetting

const MAX_STREAMS = 100

type Read = (value: unknown) => string | undefined

const text =
  (pattern: RegExp): Read =>
  value =>
    typeof value === 'string' && pattern.test(value) ? value : undefined

const WORD = { expected: '1 to 50 letters, digits, _ and -', read: text(/^[A-Za-z0-9_-]{1,50}$/) }
const TEXT = { expected: 'text of 1 to 200 characters', read: text(/^[^\p{Cc}]{1,200}$/u) }
const FIELDS: Record<string, { expected: string; read: Read }> = {
  name: WORD,
  group: WORD,
  tenant: { expected: 'the name of a tenant', read: text(/^[^\p{Cc}]{1,100}$/u) },
  producer: { expected: 'text of 1 to 100 characters', read: text(/^[^\p{Cc}]{1,100}$/u) },
  key: TEXT,
  stream: { expected: 'the name of a JetStream stream', read: text(/^[^\s.*>/\\]{1,200}$/) },
  subject: { expected: 'a NATS subject, such as intents.>', read: text(/^[^\s]{1,200}$/) },
}
const COMMON_FIELDS = ['name', 'url', 'tenant', 'producer', 'group']
const FIELDS_OF = {
  redis: [...COMMON_FIELDS, 'key', 'delete_acknowledged'],
  nats: [...COMMON_FIELDS, 'stream', 'subject'],
}
const EXAMPLE = '[{"name": "orders", "url": "redis://127.0.0.1:6379", "key": "intents"}]'

export const streamSettings = z.string().transform((value, context): StreamSetting[] => {
  const tell = (message: string) => context.addIssue({ code: 'custom', message })
  if (value.trim() === '') return []
  const given = parseList(value)
  if (given === undefined || given.length > MAX_STREAMS) {
    tell(`Expected a JSON list of up to ${MAX_STREAMS} streams, such as ${EXAMPLE}.`)
    return z.NEVER
  }
  const problems: string[] = []
  const settings = given.map((item, i) => readSetting(item, i, problem => problems.push(problem)))
  const names = settings.map(({ name }) => name)
  const twice = names.find((name, i) => name !== '' && names.indexOf(name) < i)
  if (twice !== undefined) problems.push(`Two streams have the name "${twice}"; give each its own.`)
  for (const problem of problems) tell(problem)
  return problems.length > 0 ? z.NEVER : settings
})

function parseList(value: string): Record<string, unknown>[] | undefined {
  try {
    const list = z.array(z.record(z.string(), z.unknown())).safeParse(JSON.parse(value))
    return list.data
  } catch {
    return undefined
  }
}

function readSetting(
  item: Record<string, unknown>,
  index: number,
  tell: (problem: string) => void,
): StreamSetting {
  const label = typeof item.name === 'string' ? item.name : `stream ${index + 1}`
  const kind = item.stream === undefined ? 'redis' : 'nats'
  const field = (name: string, fallback?: string): string => {
    const { expected, read } = FIELDS[name]!
    const value = item[name] === undefined ? fallback : read(item[name])
    if (value === undefined) tell(`${label}: ${name}: expected ${expected}, got ${shown(item[name])}.`)
    return value ?? ''
  }
  for (const name of Object.keys(item).filter(name => !FIELDS_OF[kind].includes(name)))
    tell(`${label}: ${unknownField(name, kind)}`)
  if (kind === 'redis' && item.key === undefined)
    tell(`${label}: expected key, of a Redis stream, or stream, of NATS JetStream; got neither.`)
  const name = field('name')
  const common = {
    name,
    url: readUrl(item.url, kind, problem => tell(`${label}: url: ${problem}`)),
    tenant: field('tenant', ''),
    producer: field('producer', name),
    group: field('group', 'carillon'),
  }
  if (kind === 'nats') return { ...common, kind, stream: field('stream'), subject: field('subject', '') }
  const isDeleting = item.delete_acknowledged ?? false
  if (typeof isDeleting !== 'boolean')
    tell(`${label}: delete_acknowledged: expected true or false, got ${shown(isDeleting)}.`)
  return { ...common, kind, key: field('key', ''), deleteAcknowledged: isDeleting === true }
}

/** It may have a password, so it is never shown. */
function readUrl(value: unknown, kind: StreamSetting['kind'], tell: (problem: string) => void): string {
  if (value === undefined) return ''
  try {
    if (kind === 'nats') parseNatsServers(String(value))
    else if (!isRedisUrl(String(value))) tell(REDIS_URL_EXPECTED)
  } catch (error) {
    tell((error as Error).message)
  }
  return String(value)
}

function unknownField(name: string, kind: StreamSetting['kind']): string {
  const other = kind === 'redis' ? 'nats' : 'redis'
  if (FIELDS_OF[other].includes(name)) return `"${name}" belongs to a stream of the other kind.`
  const meant = didYouMean(name, FIELDS_OF[kind])
  return `"${name}" is not known${meant ? `; did you mean "${meant}"?` : '.'}`
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? '').slice(0, 100)
}
