/**
 * The files of a cluster in one file, each compressed for itself, one behind the other; the manifest says which is where.
 * A cluster has a thousand small files at least: putting each of them on the disk for itself takes many times longer.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

export interface ContainedFile {
  /** Below the cluster. */
  path: string
  /** Of the content, not of what is stored. */
  bytes: number
  sha256: string
  /** Where in the container it is. */
  offset: number
  stored_bytes: number
}

export interface Container {
  /** Throws if the file is not there; the container is then as before. */
  add(path: string, source: string): Promise<void>
  /** Puts everything on the disk, and says what is where. */
  close(): Promise<ContainedFile[]>
  /** For whoever deletes it. */
  abandon(): Promise<void>
}

const CHUNK_BYTES = 256 * 1024

export async function createContainer(path: string): Promise<Container> {
  const container = await open(path, 'wx', 0o600)
  const files: ContainedFile[] = []
  let end = 0
  return {
    async add(path, source) {
      const from = await open(source, 'r')
      const offset = end
      const content = measure()
      // The fastest level: most of what is saved are the zeros of pages that are not full.
      const stream = from.createReadStream({ highWaterMark: CHUNK_BYTES })
      const write = async (chunk: Buffer) => {
        end += await writeAt(container, chunk, end)
      }
      await pipeline(stream, content.pass, createGzip({ level: 1 }), into(write))
      files.push({ path, ...content.result(), offset, stored_bytes: end - offset })
    },
    async close() {
      try {
        await container.sync()
        return files
      } finally {
        await container.close()
      }
    },
    abandon: () => container.close(),
  }
}

/** Throws if what is stored is not what was put in. */
export async function extract(container: string, file: ContainedFile, target: string): Promise<void> {
  const content = measure()
  const to = await open(target, 'wx', 0o600)
  try {
    const stored = createReadStream(container, {
      start: file.offset,
      end: file.offset + file.stored_bytes - 1,
      highWaterMark: CHUNK_BYTES,
    })
    await pipeline(
      stored,
      createGunzip(),
      content.pass,
      into(chunk => write(to, chunk)),
    )
  } catch (error) {
    throw error instanceof WriteFailed ? error : new DamagedContainer((error as Error).message)
  } finally {
    await to.close()
  }
  const { bytes, sha256 } = content.result()
  if (bytes !== file.bytes || sha256 !== file.sha256)
    throw new DamagedContainer(`${file.path} in it does not have its checksum`)
}

/** What is stored cannot be read, or is not what was put in. */
export class DamagedContainer extends Error {}

/** The disk did not take it, whatever it was. */
class WriteFailed extends Error {}

async function write(file: FileHandle, chunk: Buffer): Promise<void> {
  await file.writeFile(chunk).catch(({ message }: Error) => {
    throw new WriteFailed(message)
  })
}

/** A stream and not a function over chunks: of one that fails, a pipeline says only that it was aborted. */
function into(write: (chunk: Buffer) => Promise<void>): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(chunk).then(() => done(), done)
    },
  })
}

async function writeAt(file: FileHandle, chunk: Buffer, position: number): Promise<number> {
  for (let written = 0; written < chunk.length; )
    written += (await file.write(chunk, written, chunk.length - written, position + written)).bytesWritten
  return chunk.length
}

function measure() {
  const hash = createHash('sha256')
  let bytes = 0
  const pass = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { pass, result: () => ({ bytes, sha256: hash.digest('hex') }) }
}
