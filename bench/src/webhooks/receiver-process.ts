/** A receiver in its own process: answers everything except /hang, and records how old each event was on arrival. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../child.ts'

export type Question = 'address' | 'reset' | 'latencies' | { await: number }

await serveParent<object, Question>(async () => {
  let latencies: number[] = []
  let awaited: { count: number; resolve: (at: number) => void } | undefined
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/hang') return
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: string }
      latencies.push(Date.now() - Date.parse(timestamp))
      response.writeHead(200).end('ok')
      if (awaited !== undefined && latencies.length >= awaited.count) awaited.resolve(Date.now())
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    async answer(question) {
      if (question === 'address') return `http://127.0.0.1:${port}`
      if (question === 'latencies') return latencies
      if (question === 'reset') {
        latencies = []
        return undefined
      }
      if (latencies.length >= question.await) return Date.now()
      return new Promise<number>(resolve => {
        awaited = { count: question.await, resolve }
      })
    },
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
})
