/** Thousands of browsers in one process: each keeps a stream open and notes when something comes. */
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { serveParent } from '../child.ts'

/** Tokens to open a stream with each, or else what came until now. */
type Question = { tokens: string[] } | 'arrivals'

/** By user, when each of its events came, in ms since 1970; the first is that of the connection itself. */
export type Arrivals = number[][]

const AT_ONCE = 100
const now = () => performance.timeOrigin + performance.now()

await serveParent(async ({ url }: { url: string }) => {
  let arrivals: Arrivals = []
  const open: ClientRequest[] = []

  async function connectAll(tokens: string[]): Promise<void> {
    arrivals = tokens.map(() => [])
    for (let from = 0; from < tokens.length; from += AT_ONCE)
      await Promise.all(tokens.slice(from, from + AT_ONCE).map((token, i) => connect(token, from + i)))
  }

  async function connect(token: string, place: number): Promise<void> {
    const headers = { authorization: `Bearer ${token}` }
    const outgoing = request(`${url}/v1/inbox/stream`, { headers, agent: false })
    open.push(outgoing)
    outgoing.end()
    const [answer] = await once(outgoing, 'response')
    if (answer.statusCode !== 200) throw new Error(`the server answered ${answer.statusCode}`)
    answer.setEncoding('utf8')
    let rest = ''
    answer.on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) if (block.includes('event: inbox')) arrivals[place]!.push(now())
    })
  }

  return {
    async answer(question: Question) {
      if (question !== 'arrivals') await connectAll(question.tokens)
      return arrivals
    },
    async stop() {
      for (const outgoing of open) outgoing.destroy()
    },
  }
})
