/** Receives webhooks with Fastify. Start it with WEBHOOK_SECRET=whsec_… node fastify.js */
import { verifyWebhook } from '@carillon/sdk'
import Fastify from 'fastify'
import { handleOnce } from './handle-once.js'

const app = Fastify()

// The raw body: JSON that was parsed and written again is a different text, and its signature fails.
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, body) => body)

app.post('/webhooks', async (request, reply) => {
  let event
  try {
    event = await verifyWebhook(request.headers, request.body, process.env.WEBHOOK_SECRET)
  } catch (error) {
    return reply.status(400).send(error.message)
  }
  await handleOnce(event)
  return reply.status(204).send()
})

const address = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`listening on ${address}/webhooks`)
