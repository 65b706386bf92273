import { expect, it } from 'vitest'
import { handOver } from './hand-over.ts'
import { aMessage } from './message.fixture.ts'

const message = aMessage()

it('the message id is also the provider’s id', async () => {
  const outcome = await handOver(message, new AbortController().signal, async () => {})
  expect(outcome).toEqual({ kind: 'sent', provider_message_id: message.message_id })
})

it('the error of the write is the message of the retry', async () => {
  const outcome = await handOver(message, new AbortController().signal, () => {
    throw new Error('disk full')
  })
  expect(outcome).toEqual({ kind: 'retry', message: 'disk full' })
})

it('an abort during the write is uncertain, because the write may still succeed', async () => {
  const controller = new AbortController()
  const outcome = handOver(message, controller.signal, () => {
    controller.abort()
    return new Promise(() => {})
  })
  expect(await outcome).toEqual({ kind: 'uncertain', message: 'the attempt was aborted' })
})
