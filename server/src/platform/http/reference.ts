/** openapi.json and the API reference for browsers: large, but always the same, so compressed once and cached. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import type { App } from './server.ts'

const PREFIX = '/docs'
const compress = promisify(gzip)

interface File {
  etag: string
  plain: Buffer
  zipped: Buffer
}

export async function serveReference(app: App): Promise<void> {
  await app.register(async reference => {
    const files = new Map<string, Promise<File>>()
    // Making it takes longer than sending it.
    let document: string | undefined
    const makeDocument = () => {
      document ??= JSON.stringify(app.swagger())
      return document
    }
    reference.addHook('onSend', async (request, reply, payload: unknown) => {
      if (reply.statusCode !== 200 || typeof payload !== 'string') return payload
      const { url } = request.routeOptions
      if (!files.has(url!)) files.set(url!, makeFile(payload))
      return answer(await files.get(url!)!, request, reply)
    })
    reference.get(
      '/openapi.json',
      { config: { scope: 'public' }, schema: { hide: true } },
      async (_request, reply) => reply.type('application/json; charset=utf-8').send(makeDocument()),
    )
    await reference.register(scalar, {
      routePrefix: PREFIX,
      hooks: { onRequest: (request, _reply, done) => done(refuseSecondDocument(request)) },
      configuration: {
        title: 'Carillon API',
        url: '/openapi.json',
        // Nothing on the page may call home or send people elsewhere.
        agent: { disabled: true },
        showDeveloperTools: 'never',
        hideClientButton: true,
        telemetry: false,
        withDefaultFonts: false,
      },
    })
  })
}

/** The reference would make a document of its own, and fails at it; there is one, and it is at the top. */
function refuseSecondDocument(request: FastifyRequest): Refusal | undefined {
  const [path = ''] = request.url.split('?')
  if (!/\/openapi\.(json|yaml)$/.test(path)) return undefined
  return new Refusal('not_found', `There is no ${path}; the document is at /openapi.json.`)
}

async function makeFile(text: string): Promise<File> {
  const plain = Buffer.from(text)
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`
  return { etag, plain, zipped: await compress(plain) }
}

function answer(
  { etag, plain, zipped }: File,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Buffer | null {
  reply.header('etag', etag)
  reply.header('vary', 'accept-encoding')
  // Asked for again every time, but sent again only when it has changed.
  reply.header('cache-control', 'public, no-cache')
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
