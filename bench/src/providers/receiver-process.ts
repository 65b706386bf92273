/** In the services' place, in a process of its own: reads each request whole and gives the answer of a good day. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { serveParent } from '../child.ts'
import { localhostPem } from './localhost.ts'
import type { Answer, Service } from './service.ts'
import { serviceOf } from './services.ts'

await serveParent(async () => {
  let played: Service | undefined
  const respond = (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ) => {
    request.resume()
    request.once('end', () =>
      give(played!.doors?.[request.url!] ?? played!.accepts, response as ServerResponse),
    )
  }
  const plain = createServer(respond)
  // Those that speak HTTP/2 only are compared with a POST over HTTP/1.1, so it takes both.
  const secure = createSecureServer({ key: localhostPem, cert: localhostPem, allowHTTP1: true }, respond)
  const origins = { http: `http://${await listen(plain)}`, https: `https://${await listen(secure)}` }

  return {
    /** From now on it is this kind's service; gives where to find it. */
    async answer(kind: string): Promise<string> {
      played = serviceOf(kind)
      return origins[played.protocol]
    },
    async stop() {
      plain.close()
      secure.close()
    },
  }
})

function give({ status, headers = {}, body = '' }: Answer, response: ServerResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
