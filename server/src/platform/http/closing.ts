/**
 * Ends connections when the server closes. Node waits for each of them, and no longer looks at its own time limits then: a
 * client that says nothing, or keeps its connection for later, would hold up the stop of the process for as long as it likes.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What is in hand is answered, unless that takes longer than `patienceMs`. */
export function endConnectionsOnClose(app: FastifyInstance, patienceMs: number): void {
  /** How many requests of each are in hand. */
  const connections = new Map<Socket, number>()
  let isClosing = false

  app.server.on('connection', socket => {
    connections.set(socket, 0)
    socket.once('close', () => connections.delete(socket))
  })
  app.server.on('request', ({ socket }, response) => {
    connections.set(socket, (connections.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const inHand = connections.get(socket)
      if (inHand === undefined) return
      connections.set(socket, inHand - 1)
      if (isClosing && inHand === 1) socket.destroySoon()
    })
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
  app.addHook('preClose', async () => {
    isClosing = true
    for (const [socket, inHand] of connections) if (inHand === 0) socket.destroy()
    const impatience = setTimeout(() => app.server.closeAllConnections(), patienceMs).unref()
    app.server.once('close', () => clearTimeout(impatience))
  })
}
