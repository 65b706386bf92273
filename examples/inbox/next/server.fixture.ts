/** Does with the files of the example what Next does: renders the page, calls the route, lets the browser take over. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { build, type Rolldown } from 'vite'
import { POST } from './app/api/carillon-token/route.ts'
import Page from './app/page.tsx'

export interface NextServer {
  url: string
  stop(): Promise<void>
}

export async function startNext(): Promise<NextServer> {
  const scripts = await bundle()
  const server = createServer(async (request, response) => {
    const answer = await answerTo(request, scripts)
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

async function answerTo(request: IncomingMessage, scripts: Map<string, string>): Promise<Response> {
  const { cookie = '' } = request.headers
  if (request.method === 'POST' && request.url === '/api/carillon-token')
    return POST(new Request('http://shop/api/carillon-token', { method: 'POST', headers: { cookie } }))
  const script = scripts.get(request.url!)
  if (script !== undefined) return new Response(script, { headers: { 'content-type': 'text/javascript' } })
  if (request.url !== '/') return new Response(null, { status: 404 })
  const body = renderToString(createElement(Page))
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<script type="module" src="/hydrate.js"></script></head><body>${body}</body></html>`
  const session = 'session=session-of-ada; HttpOnly; SameSite=Lax'
  return new Response(html, { headers: { 'content-type': 'text/html', 'set-cookie': session } })
}

/** By path. Like Next, writes the public settings into the code. */
async function bundle(): Promise<Map<string, string>> {
  const result = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    define: {
      'process.env.NODE_ENV': '"development"',
      'process.env.NEXT_PUBLIC_CARILLON_URL': JSON.stringify(process.env.NEXT_PUBLIC_CARILLON_URL),
    },
    build: {
      write: false,
      lib: {
        entry: join(import.meta.dirname, 'hydrate.fixture.tsx'),
        formats: ['es'],
        fileName: () => 'hydrate.js',
      },
    },
  })
  const [{ output }] = [result].flat() as [Rolldown.RolldownOutput]
  return new Map(output.flatMap(part => ('code' in part ? [[`/${part.fileName}`, part.code]] : [])))
}
