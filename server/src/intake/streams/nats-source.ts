/** A stream of NATS JetStream, read through a durable pull consumer. */
import {
  AckPolicy,
  type Consumer,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { NatsStreamSetting } from '../../platform/config/stream-settings.ts'
import { connectNats } from '../../platform/streams/nats.ts'
import { decode, type EntryContent, type StreamEntry } from './entry.ts'
import type { Lag, StreamSource } from './source.ts'

const REQUEST_TIMEOUT_MS = 5000
/** The shortest that the client takes. */
const FETCH_MS = 1000
/** Of all processes together; the server's own limit of a thousand would be used up by three. */
const MAX_UNACKNOWLEDGED = 10_000

export interface NatsSourceOptions {
  setting: Pick<NatsStreamSetting, 'stream' | 'subject' | 'group'>
  urls: string
  /** Shown in the server's list of connections. */
  name: string
  /** A message that is neither acknowledged nor kept for so long is given to another process. */
  leaseMs: number
}

interface Session {
  connection: NatsConnection
  manager: JetStreamManager
  consumer: Consumer
}

interface NatsEntry extends StreamEntry {
  received: JsMsg
}

export function createNatsSource(options: NatsSourceOptions): StreamSource {
  const { stream, group } = options.setting
  let connection: NatsConnection | undefined
  let session: Session | undefined

  async function prepare(): Promise<void> {
    // It reconnects by itself, unless the server has refused us for good.
    if (connection === undefined || connection.isClosed())
      connection = await connectNats(options.urls, options.name)
    const manager = await jetstreamManager(connection, { timeout: REQUEST_TIMEOUT_MS })
    await ensureConsumer(manager, options)
    const consumer = await jetstream(connection, { timeout: REQUEST_TIMEOUT_MS }).consumers.get(stream, group)
    session = { connection, manager, consumer }
  }

  function current(): Session {
    if (session === undefined) throw new Error('The consumer in NATS is not ready.')
    return session
  }

  return {
    prepare,
    async read(most, take) {
      const messages = await current().consumer.fetch({ max_messages: most, expires: FETCH_MS })
      let gathered: NatsEntry[] = []
      const handOver = () => {
        const entries = gathered
        gathered = []
        if (entries.length > 0) take(entries)
      }
      try {
        for await (const message of messages) {
          // Those that arrive together are accepted together, and none waits for those that are still to come.
          if (gathered.push(toEntry(message)) === 1) setImmediate(handOver)
        }
      } finally {
        handOver()
      }
    },
    async acknowledge(entries) {
      for (const { received } of entries as NatsEntry[]) received.ack()
      await current().connection.flush()
    },
    async keep(entries) {
      for (const { received } of entries as NatsEntry[]) received.working()
    },
    async giveBack(entries) {
      for (const { received } of entries as NatsEntry[]) received.nak()
      await current().connection.flush()
    },
    async lag() {
      const { manager } = current()
      const info = await manager.consumers.info(stream, group)
      try {
        refuseUnsafe(info, options.setting)
      } catch (error) {
        // The next read prepares anew, which tells why it cannot.
        session = undefined
        throw error
      }
      return lagOf(manager, info)
    },
    close: async () => void (await connection?.close().catch(() => {})),
  }
}

/** The sequence alone would start again at 1 in a stream that was deleted and made anew. */
function toEntry(received: JsMsg): NatsEntry {
  return {
    id: `${received.seq}-${received.timestampNanos}`,
    bytes: received.data.length,
    content: () => toContent(received),
    received,
  }
}

function toContent(received: JsMsg): EntryContent {
  const { text, isGarbled } = decode(received.data)
  const headers = new Map<string, string>()
  for (const [name, values] of received.headers ?? []) headers.set(name.toLowerCase(), values.at(-1) ?? '')
  return { message: { text, headers }, isGarbled }
}

/** The stream is not created: how long it keeps what, and on how many servers, is for its owner to decide. */
async function ensureConsumer(manager: JetStreamManager, options: NatsSourceOptions): Promise<void> {
  const { stream, subject, group } = options.setting
  const info = await manager.consumers.info(stream, group).catch(unlessMissing)
  if (info === undefined) {
    await manager.consumers.add(stream, {
      durable_name: group,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: options.leaseMs * 1_000_000,
      max_ack_pending: MAX_UNACKNOWLEDGED,
      ...(subject !== '' && { filter_subject: subject }),
    })
    return
  }
  refuseUnsafe(info, options.setting)
  // We say that messages are still at work as often as our own leases need it.
  const ack_wait = options.leaseMs * 1_000_000
  if ((info.config.ack_wait ?? 0) < ack_wait) await manager.consumers.update(stream, group, { ack_wait })
}

/** Others may have made the consumer, or may change it at any time. */
function refuseUnsafe({ config }: ConsumerInfo, setting: NatsSourceOptions['setting']): void {
  const { ack_policy, filter_subject = '', deliver_subject, max_deliver = -1 } = config
  const consumer = `The consumer "${setting.group}" of the stream "${setting.stream}"`
  if (ack_policy !== AckPolicy.Explicit || deliver_subject)
    throw new Error(`${consumer} must be a pull consumer with explicit acknowledgement.`)
  if (max_deliver > 0)
    throw new Error(
      `${consumer} gives up on a message after ${max_deliver} tries (max_deliver), which would lose it while the database is away; set it to -1.`,
    )
  if (filter_subject !== setting.subject)
    throw new Error(
      `${consumer} reads the subject "${filter_subject}" and not "${setting.subject}"; name another group, or delete the consumer.`,
    )
}

/** "Consumer not found"; that there is no such stream is an error of its own. */
const CONSUMER_NOT_FOUND = 10014

function unlessMissing(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND) return
  throw error
}

async function lagOf(manager: JetStreamManager, info: ConsumerInfo): Promise<Lag> {
  const waiting = info.num_pending + info.num_ack_pending
  if (waiting === 0) return { waiting, oldestAt: null }
  const { filter_subject } = info.config
  const seq = info.ack_floor.stream_seq + 1
  // It may be deleted meanwhile; then its age is not worth a failure.
  const oldest = await manager.streams
    .getMessage(info.stream_name, { seq, ...(filter_subject && { next_by_subj: filter_subject }) })
    .catch(() => null)
  return { waiting, oldestAt: oldest?.time ?? null }
}
