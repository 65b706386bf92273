/** An entry of a stream, as received. */

export interface StreamEntry {
  /** Unique in the stream, and the same whenever it is read. */
  id: string
  bytes: number
  /** Decoded when it is asked for: as text it takes several times the memory, and it waits for its turn as it came. */
  content(): EntryContent
}

export interface EntryContent {
  /** Redis: what the entry consists of. NATS: undefined. */
  fields?: Map<string, string>
  /** NATS: the text of the message and its headers, with names in lower case. Redis: undefined. */
  message?: { text: string; headers: Map<string, string> }
  /** It is not text in UTF-8; what was read of it has marks where it is not. */
  isGarbled: boolean
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** A text that is not UTF-8 could not be kept byte for byte. */
export function decode(bytes: Uint8Array): { text: string; isGarbled: boolean } {
  try {
    return { text: strict.decode(bytes), isGarbled: false }
  } catch {
    return { text: lenient.decode(bytes), isGarbled: true }
  }
}
