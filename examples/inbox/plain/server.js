/** A backend in plain Node: it serves the files of a folder, and gives the token for whoever is signed in. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { createClient } from '@carillon/sdk'

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' }
const folder = process.argv[2] ?? import.meta.dirname
// Takes CARILLON_URL and CARILLON_API_KEY from the environment: the key stays here.
const carillon = createClient()

const server = createServer(async (request, response) => {
  try {
    // Parsed, an address has no `..` any more that would lead out of the folder.
    const { pathname } = new URL(request.url, 'http://shop')
    if (pathname === '/carillon-token') await giveToken(request, response)
    else await giveFile(pathname === '/' ? '/index.html' : pathname, response)
  } catch (error) {
    console.error(error)
    response.writeHead(500).end()
  }
})

async function giveToken(request, response) {
  if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end()
  const user = signedIn(request)
  if (user === undefined) return response.writeHead(401).end()
  const token = await carillon.userTokens.create(user)
  response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(token))
}

/** Look into your session here. Never believe the page: the inbox of whoever is named here can be read. */
function signedIn(_request) {
  return 'ada'
}

async function giveFile(path, response) {
  const type = TYPES[extname(path)]
  const file = type && (await readFile(join(folder, path)).catch(() => undefined))
  if (file === undefined) return response.writeHead(404).end()
  const content = type.startsWith('text/html') ? withAddress(file) : file
  response.writeHead(200, { 'content-type': type }).end(content)
}

/** In a page of your own, the address of your Carillon is simply written down. */
function withAddress(html) {
  return html.toString().replaceAll('%CARILLON_URL%', process.env.CARILLON_URL)
}

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`)
})
