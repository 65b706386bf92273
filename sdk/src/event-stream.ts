/** Reads server-sent events from text that arrives in pieces, as the HTML standard says. */

export interface SentEvent {
  event: string
  data: string
}

export interface EventReader {
  /** The events that are complete with this piece. */
  read(piece: string): SentEvent[]
  /** The last id that came, for the next connection; undefined before the first. */
  readonly lastId: string | undefined
  /** How long the server wants clients to wait before they come back. */
  readonly retryMs: number | undefined
}

export function createEventReader(lastId?: string): EventReader {
  let rest = ''
  let isFirst = true
  let event = ''
  let data: string[] = []
  const reader = { lastId, retryMs: undefined as number | undefined, read }

  function read(piece: string): SentEvent[] {
    let text = rest + piece
    if (isFirst && text !== '') {
      isFirst = false
      if (text.startsWith('\uFEFF')) text = text.slice(1)
    }
    // A line that ends with \r may still get its \n with the next piece.
    const lines = text.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    return lines.flatMap(readLine)
  }

  function readLine(line: string): SentEvent[] {
    if (line === '') return dispatch()
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event = value
    else if (name === 'data') data.push(value)
    else if (name === 'id' && !value.includes('\0')) reader.lastId = value
    else if (name === 'retry' && /^\d+$/.test(value)) reader.retryMs = Number(value)
    return []
  }

  function dispatch(): SentEvent[] {
    const complete = data.length === 0 ? [] : [{ event: event || 'message', data: data.join('\n') }]
    event = ''
    data = []
    return complete
  }

  return reader
}
