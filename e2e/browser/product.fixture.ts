/** A product that added the inbox to its pages: it knows who is signed in, and asks Carillon for their tokens. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '@carillon/sdk'

export interface Product {
  url: string
  /** A page for a person; `inbox` are further attributes of the element, `head` and `body` what else is on the page. */
  page(user: string, options?: PageOptions): string
  /** Any other file at this path; gives its address. */
  serve(path: string, content: string, type?: string): string
  /** How often it was asked for a token. */
  readonly tokensGiven: number
  stop(): Promise<void>
}

export interface PageOptions {
  inbox?: string
  head?: string
  body?: string
  /** Of tokens, in seconds. */
  ttl?: number
}

/** Lets its own origin call Carillon, as an operator would. */
export async function startProduct(carillonUrl: string, client: Client): Promise<Product> {
  const pages = new Map<string, string>()
  const types = new Map<string, string>()
  let tokensGiven = 0
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://product')
    if (request.method === 'POST' && pathname === '/token') {
      tokensGiven++
      const ttl_seconds = Number(searchParams.get('ttl'))
      const token = await client.userTokens.create(searchParams.get('user')!, { ttl_seconds })
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(token))
    }
    const page = pages.get(pathname)
    response
      .writeHead(page === undefined ? 404 : 200, {
        'content-type': types.get(pathname) ?? 'text/html; charset=utf-8',
      })
      .end(page)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await client.tenant.update({ cors_origins: [url] })

  return {
    url,
    get tokensGiven() {
      return tokensGiven
    },
    serve(path, content, type = 'text/html; charset=utf-8') {
      pages.set(path, content)
      types.set(path, type)
      return `${url}${path}`
    },
    page(user, { inbox = 'mode="page"', head = '', body = '', ttl = 3600 } = {}) {
      const path = `/page-${pages.size}`
      pages.set(
        path,
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script type="module" src="${carillonUrl}/inbox/carillon-inbox.js"></script>${head}</head>
<body style="margin:0"><main>${body}
<carillon-inbox token-url="/token?user=${user}&amp;ttl=${ttl}" ${inbox}></carillon-inbox></main></body></html>`,
      )
      return `${url}${path}`
    },
    stop() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}
