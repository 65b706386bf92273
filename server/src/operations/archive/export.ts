/** A month of the archive as files: one per table, a row per line as JSON, compressed with gzip. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Executor } from '../../platform/database/pool.ts'
import { ARCHIVE_TABLES, readMonth } from './queries.ts'

/** Files appear under their names only when they are complete and on the disk. */
export async function exportMonth(tx: Executor, month: string, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const files: string[] = []
  for (const table of ARCHIVE_TABLES) {
    const name = join(folder, `${table.replace('_archive', '')}-${month.slice(0, 7)}`)
    // the month is locked, so this is nobody's but what a killed process left
    const part = `${name}.ndjson.gz.part`
    const lines = Readable.from(toText(readMonth(tx, table, month)))
    await pipeline(lines, createGzip(), createWriteStream(part))
    await toDisk(part)
    files.push(await giveName(part, name))
  }
  await toDisk(folder)
  return files
}

/**
 * A month that was dropped may be made again, for what comes from elsewhere or is kept for longer by now. Its file gets the
 * next number: what the first one has is nowhere else. Only a file that says the same is there already, from a process
 * that was killed before it dropped the month.
 */
async function giveName(part: string, name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const file = `${name}${number === 1 ? '' : `-${number}`}.ndjson.gz`
    if (!existsSync(file)) {
      await rename(part, file)
      return file
    }
    if ((await hashOf(file)) === (await hashOf(part))) {
      await rm(part)
      return file
    }
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function* toText(portions: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const lines of portions) yield `${lines.join('\n')}\n`
}

/** The names are the folder's own content. */
async function toDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
