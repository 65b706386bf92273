/** openapi.json and the API reference for browsers: large, but always the same, so compressed once and cached. */
import scalar from '@scalar/fastify-api-reference'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import type { App } from './server.ts'
import { answerStaticFile, makeStaticFile, type StaticFile } from './static-file.ts'

const PREFIX = '/docs'

export async function serveReference(app: App): Promise<void> {
  await app.register(async reference => {
    const files = new Map<string, Promise<StaticFile>>()
    // Making it takes longer than sending it.
    let document: string | undefined
    const makeDocument = () => {
      document ??= JSON.stringify(app.swagger())
      return document
    }
    reference.addHook('onSend', async (request, reply, payload: unknown) => {
      if (reply.statusCode !== 200 || typeof payload !== 'string') return payload
      const { url } = request.routeOptions
      if (!files.has(url!)) files.set(url!, makeStaticFile(payload))
      return answerStaticFile(await files.get(url!)!, request, reply)
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
