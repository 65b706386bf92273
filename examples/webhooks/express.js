/** Receives webhooks with Express. Start it with WEBHOOK_SECRET=whsec_… node express.js */
import { verifyWebhook } from '@carillon/sdk'
import express from 'express'
import { handleOnce } from './handle-once.js'

const app = express()

// The raw body, not express.json(): JSON that was parsed and written again is a different text, and its signature fails.
app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  let event
  try {
    event = await verifyWebhook(request.headers, request.body, process.env.WEBHOOK_SECRET)
  } catch (error) {
    return response.status(400).send(error.message)
  }
  await handleOnce(event)
  response.sendStatus(204)
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/webhooks`)
})
