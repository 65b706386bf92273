/** Stands in for the services, in its own process: reads each request completely and answers that it was accepted. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { serveParent } from '../child.ts'
import { localhostPem } from './localhost.ts'
import type { Answer, Service } from './service.ts'
import { serviceOf } from './services.ts'

await serveParent(async () => {
  let service: Service | undefined
  const respond = (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ) => {
    request.resume()
    request.once('end', () =>
      reply(service!.otherPaths?.[request.url!] ?? service!.accepts, response as ServerResponse),
    )
  }
  const plain = createServer(respond)
  // Providers that use only HTTP/2 are compared with a POST over HTTP/1.1, so it accepts both.
  const secure = createSecureServer({ key: localhostPem, cert: localhostPem, allowHTTP1: true }, respond)
  const origins = { http: `http://${await listen(plain)}`, https: `https://${await listen(secure)}` }

  return {
    /** From now on it answers as this kind's service; returns its address. */
    async answer(kind: string): Promise<string> {
      service = serviceOf(kind)
      return origins[service.protocol]
    },
    async stop() {
      plain.close()
      secure.close()
    },
  }
})

function reply({ status, headers = {}, body = '' }: Answer, response: ServerResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
