/** Publishing to NATS JetStream: a subject per tenant and event, with the headers of a webhook and its body. */
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { errors, headers, type NatsConnection, nanos } from '@nats-io/transport-node'
import { connectNats } from '../../platform/streams/nats.ts'
import { type OutputStream, type StreamMessage, TooLarge, unless } from './output-stream.ts'

/** Of the stream that is created where there is none. */
const KEPT_MS = 7 * 24 * 3600 * 1000
/** Twenty headers of a webhook, and ours. */
const HEADERS_MAX_BYTES = 48 * 1024

export interface NatsOutputOptions {
  urls: string
  name: string
  timeoutMs: number
}

export function createNatsOutput({ urls, name, timeoutMs }: NatsOutputOptions): OutputStream {
  let connecting: Promise<NatsConnection> | undefined
  /** Aborted while the connection is lost: what waits for an answer then waits in vain, until it times out. */
  let lost = new AbortController()

  /** The first message connects: most processes publish nothing. */
  function connected(): Promise<NatsConnection> {
    connecting ??= connectNats(urls, `${name} output`).then(
      connection => {
        void connection.closed().then(forget)
        void watch(connection)
        return connection
      },
      error => {
        forget()
        throw error
      },
    )
    return connecting
  }
  const forget = () => {
    connecting = undefined
  }

  async function watch(connection: NatsConnection): Promise<void> {
    lost = new AbortController()
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') lost.abort(new Error('The connection was lost.'))
      if (type === 'reconnect') lost = new AbortController()
    }
  }

  async function publishTo(connection: NatsConnection, message: StreamMessage): Promise<string> {
    refuseTooLarge(connection, message.body)
    const sent = headers()
    for (const [header, value] of Object.entries(message.headers)) sent.set(header, value)
    const subject = `${name}.events.${message.tenantId}.${message.eventType}`
    const { stream, seq, duplicate } = await jetstream(connection).publish(subject, message.body, {
      msgID: message.id,
      headers: sent,
      timeout: timeoutMs,
    })
    return `${stream} ${seq}${duplicate ? ', which it had already' : ''}`
  }

  /** Whoever wants another retention creates the stream before; one that exists is never changed. */
  async function addStream(connection: NatsConnection): Promise<void> {
    const manager = await jetstreamManager(connection, { timeout: timeoutMs })
    await manager.streams.add({
      name: `${name.toUpperCase()}_EVENTS`,
      subjects: [`${name}.events.>`],
      max_age: nanos(KEPT_MS),
    })
  }

  return {
    async publish(message) {
      const connection = await connected()
      try {
        return await unless(lost.signal, () => publishTo(connection, message))
      } catch (error) {
        if (isTooLargeForStream(error)) throw tooLargeForStream(message.body, error)
        if (!isWithoutStream(error)) throw error
        await addStream(connection)
        return unless(lost.signal, () => publishTo(connection, message))
      }
    },
    close: async () => {
      await connecting?.then(
        connection => connection.close(),
        () => {},
      )
    },
  }
}

/** The largest message includes the headers. */
function refuseTooLarge({ info }: NatsConnection, body: string): void {
  const bytes = Buffer.byteLength(body)
  const most = (info?.max_payload ?? Number.POSITIVE_INFINITY) - HEADERS_MAX_BYTES
  if (bytes > most) throw new TooLarge(`NATS takes messages of up to ${most} bytes; this one has ${bytes}.`)
}

/** The operator's own stream may have a limit below that of the server. */
const MESSAGE_TOO_LARGE = 10054

function isTooLargeForStream(error: unknown): error is JetStreamApiError {
  return error instanceof JetStreamApiError && error.code === MESSAGE_TOO_LARGE
}

function tooLargeForStream(body: string, { message }: JetStreamApiError): TooLarge {
  const bytes = Buffer.byteLength(body)
  return new TooLarge(
    `The stream in NATS takes no message of this size, which has ${bytes} bytes: ${message}.`,
  )
}

/** Nobody listens on the subject, so no stream keeps it. */
function isWithoutStream(error: unknown): boolean {
  const { cause } = error as Error
  return cause instanceof errors.RequestError && cause.isNoResponders()
}
