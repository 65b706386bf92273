/** Receives webhooks with plain Node. Start it with WEBHOOK_SECRET=whsec_… node plain.js */
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '@carillon/sdk'
import { handleOnce } from './handle-once.js'

const server = createServer(async (request, response) => {
  let event
  try {
    event = await verifyWebhook(request.headers, await buffer(request), process.env.WEBHOOK_SECRET)
  } catch (error) {
    return response.writeHead(400).end(error.message)
  }
  await handleOnce(event)
  response.writeHead(204).end()
})

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/webhooks`)
})
