/** A client of server-sent events that keeps what it got, for tests. */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { waitFor } from './wait-for.ts'

export interface SentEvent {
  event: string
  id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  data: any
}

export interface OpenStream {
  status: number
  headers: IncomingMessage['headers']
  /** Everything as it came. */
  text(): string
  events(): SentEvent[]
  /** Waits for the event at this place, from 0. */
  event(place: number): Promise<SentEvent>
  isOver(): boolean
  close(): void
}

export async function openStream(
  base: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  let text = ''
  let isOver = false
  const { outgoing, answer } = await begin(base + path, headers)
  answer.setEncoding('utf8')
  answer.on('data', chunk => {
    text += chunk
  })
  answer.on('close', () => {
    isOver = true
  })
  answer.on('error', () => {})
  const events = () => text.split('\n\n').slice(0, -1).flatMap(readBlock)
  return {
    status: answer.statusCode!,
    headers: answer.headers,
    text: () => text,
    events,
    event: place => waitFor(async () => events()[place], { what: `event ${place} of ${path}` }),
    isOver: () => isOver,
    close: () => outgoing.destroy(),
  }
}

function begin(
  url: string,
  headers: Record<string, string>,
): Promise<{ outgoing: ClientRequest; answer: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    // As browsers do: a connection that could be used again.
    const outgoing = request(url, { headers, agent: new Agent({ keepAlive: true }) })
    outgoing.once('response', answer => resolve({ outgoing, answer }))
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** A block without data, such as a heartbeat, is no event. */
function readBlock(block: string): SentEvent[] {
  const fields = new Map(
    block.split('\n').map(line => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1).trimStart()]
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return []
  return [{ event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) }]
}
