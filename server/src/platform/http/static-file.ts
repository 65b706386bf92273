/** Files that are the same for everybody: compressed once, and sent again only when they have changed. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compress = promisify(gzip)

/** For files whose name has a hash of their content. */
export const A_YEAR = 'public, max-age=31536000, immutable'

export interface StaticFile {
  etag: string
  plain: Buffer
  zipped: Buffer
}

export async function makeStaticFile(content: string | Buffer): Promise<StaticFile> {
  const plain = Buffer.from(content)
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`
  return { etag, plain, zipped: await compress(plain) }
}

/** What to send; null where the caller has it already. */
export function answerStaticFile(
  { etag, plain, zipped }: StaticFile,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Buffer | null {
  reply.header('etag', etag)
  reply.header('vary', 'accept-encoding')
  // Asked for again every time, unless its name says that it never changes.
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'public, no-cache')
  if (headers['if-none-match'] === etag) {
    reply.code(304).removeHeader('content-length')
    return null
  }
  if (!/\bgzip\b/.test(String(headers['accept-encoding']))) return withLength(reply, plain)
  reply.header('content-encoding', 'gzip')
  return withLength(reply, zipped)
}

function withLength(reply: FastifyReply, body: Buffer): Buffer {
  reply.header('content-length', body.length)
  return body
}
