import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { MailMessage } from 'nodemailer'
import { expect, it } from 'vitest'
import { type MailBody, trackMailBody, watchMailBody } from './mail-body.ts'

/** The stream that nodemailer would read the body from. */
function outgoingOf(body: MailBody): Readable {
  let outgoing: Readable | undefined
  const message = {
    processFunc(process: (unsigned: Readable) => Readable) {
      outgoing = process(Readable.from(['the body']))
    },
  }
  watchMailBody({ data: { body }, message } as unknown as MailMessage, unsigned =>
    unsigned.pipe(new PassThrough()),
  )
  return outgoing!
}

it('the body has left once it was read to its end, not before', async () => {
  const body = trackMailBody(new AbortController().signal)
  const outgoing = outgoingOf(body)
  await once(outgoing, 'readable')
  expect(body.hasLeft).toBe(false)
  expect(await text(outgoing)).toBe('the body')
  expect(body.hasLeft).toBe(true)
})

it('an abort destroys a body that nobody reads or listens to, without an unhandled error', async () => {
  const controller = new AbortController()
  const body = trackMailBody(controller.signal)
  const outgoing = outgoingOf(body)
  await once(outgoing, 'readable')
  controller.abort(new Error('aborted'))
  await new Promise(resolve => outgoing.once('close', resolve))
  expect(outgoing.errored).toMatchObject({ message: 'aborted' })
  expect(body.hasLeft).toBe(false)
})

it('a body that is requested after the abort is destroyed at once', () => {
  const body = trackMailBody(AbortSignal.abort(new Error('aborted')))
  expect(outgoingOf(body).destroyed).toBe(true)
})
