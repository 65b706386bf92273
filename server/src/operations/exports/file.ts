/**
 * The file of an export: lines of JSON. The first says what it is, the last how much there was and the SHA-256 of
 * everything before it, so that a file that was cut or changed is refused. Compressed if its name ends with .gz.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { Lock } from '../../platform/secrets/passphrase.ts'

export const FORMAT = 1

const Header = z.object({
  carillon_export: z.number(),
  release: z.number(),
  tenant: z.object({ id: z.uuid(), name: z.string() }),
  exported_at: z.iso.datetime(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number() })),
  /** How far the sequences were whose numbers are in the rows. */
  sequences: z.record(z.string(), z.string().regex(/^\d{1,19}$/)),
  /** null: secrets were left out. */
  secrets: Lock.nullable(),
})
export type Header = z.infer<typeof Header>
const Form = Header.pick({ carillon_export: true })

interface Trailer {
  end: true
  rows: number
  sha256: string
}

export interface ExportWriter {
  write(line: string): Promise<void>
  /** Writes the last line and gives the file its name. */
  finish(rows: number): Promise<void>
  discard(): Promise<void>
}

/** Under another name until it is whole, and for its owner only: it has people's addresses and hashes of keys. */
export function createExportWriter(path: string): ExportWriter {
  const part = `${path}.part`
  const hash = createHash('sha256')
  const file = createWriteStream(part, { mode: 0o600 })
  const packer = path.endsWith('.gz') ? createGzip() : undefined
  const out: Writable = packer ?? file
  const written = packer === undefined ? finished(file) : pipeline(packer, file)
  // Whoever writes next is told; without this, nobody listening in between would end the process.
  written.catch(() => {})
  const send = async (line: string) => {
    if (!out.write(`${line}\n`)) await Promise.race([once(out, 'drain'), written])
  }
  return {
    async write(line) {
      hash.update(`${line}\n`)
      await send(line)
    },
    async finish(rows) {
      await send(JSON.stringify({ end: true, rows, sha256: hash.digest('hex') } satisfies Trailer))
      out.end()
      await written
      await rename(part, path)
    },
    async discard() {
      out.destroy()
      await written.catch(() => {})
      await rm(part, { force: true })
    },
  }
}

/** A whole file from rows in memory, parents before their children; fields that a row lacks are null. */
export async function writeExport(
  path: string,
  {
    tenant,
    release,
    tables,
    now,
  }: Pick<Header, 'tenant' | 'release'> & { tables: Record<string, object[]>; now: Date },
): Promise<void> {
  const writer = createExportWriter(path)
  try {
    const header: Header = {
      carillon_export: FORMAT,
      release,
      tenant,
      exported_at: now.toISOString(),
      tables: Object.entries(tables).map(([name, rows]) => ({
        name,
        columns: [...new Set(rows.flatMap(row => Object.keys(row)))],
        rows: rows.length,
      })),
      sequences: {},
      secrets: null,
    }
    await writer.write(JSON.stringify(header))
    for (const [table, rows] of Object.entries(tables))
      for (const row of rows) await writer.write(JSON.stringify({ table, row }))
    await writer.finish(header.tables.reduce((sum, { rows }) => sum + rows, 0))
  } catch (error) {
    await writer.discard()
    throw error
  }
}

export interface ExportedLine {
  table: string
  /** As it is in the file: parsing and writing it again could change numbers. */
  text: string
}

/** Far more than any row has. A small file may unpack to one line without an end. */
const LONGEST_LINE = 256_000_000

const CORRUPT = 'The file is not whole: it was cut off or changed after it was written'

/** Its first line. */
export async function readHeader(path: string): Promise<Header> {
  for await (const line of linesOf(path)) return headerOf(line)
  throw new Error(`${path} is empty.`)
}

/** Every row in order. Throws at the end of what is not whole, so nothing read from it may count before that. */
export async function* readRows(path: string): AsyncGenerator<ExportedLine> {
  const hash = createHash('sha256')
  let trailer: Trailer | undefined
  let number = 0
  for await (const line of linesOf(path)) {
    if (trailer !== undefined) throw new Error(`${CORRUPT}; something follows its last line.`)
    number++
    if (line.startsWith('{"end":true,')) {
      trailer = trailerOf(line)
      continue
    }
    hash.update(`${line}\n`)
    if (number === 1) continue
    const table = /^\{"table":"(\w+)","row":\{/.exec(line)?.[1]
    if (table === undefined) throw new Error(`${CORRUPT}; line ${number} is not a row.`)
    yield { table, text: line }
  }
  if (trailer === undefined) throw new Error(`${CORRUPT}; its last line is missing.`)
  if (trailer.rows !== number - 2 || trailer.sha256 !== hash.digest('hex'))
    throw new Error(`${CORRUPT}; its sum is not that of its last line.`)
}

function trailerOf(line: string): Trailer {
  try {
    return JSON.parse(line)
  } catch {
    throw new Error(`${CORRUPT}; its last line is not complete.`)
  }
}

function headerOf(line: string): Header {
  let written: unknown
  try {
    written = JSON.parse(line)
  } catch {
    // Said below.
  }
  const form = Form.safeParse(written)
  if (!form.success) throw new Error('This is not a file of carillon export.')
  if (form.data.carillon_export > FORMAT)
    throw new Error('The file was written by a newer Carillon, in a form that this one cannot read.')
  const header = Header.safeParse(written)
  if (header.success) return header.data
  throw new Error(
    `${CORRUPT}; in its first line, ${header.error.issues[0]?.path.join('.')} is not as it should be.`,
  )
}

/** Split at line feeds only: JSON may have other ends of lines in its texts. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const bytes: Readable = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  file.on('error', error => bytes.destroy(error))
  let pieces: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        pieces.push(chunk.subarray(start, end))
        yield Buffer.concat(pieces).toString('utf8')
        pieces = []
        length = 0
        start = end + 1
      }
      pieces.push(chunk.subarray(start))
      length += chunk.length - start
      if (length > LONGEST_LINE) throw new Error(`${CORRUPT}; it has a line that is longer than any row.`)
    }
  } catch (error) {
    if (/^Z_/.test((error as NodeJS.ErrnoException).code ?? ''))
      throw new Error(`${CORRUPT}; it does not unpack.`)
    throw error
  } finally {
    file.destroy()
  }
  const rest = Buffer.concat(pieces)
  if (rest.length > 0) yield rest.toString('utf8')
}
