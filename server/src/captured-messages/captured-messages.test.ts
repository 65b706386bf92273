import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../test/carillon.ts'
import { createMessageStore } from './captured-messages.ts'

const carillon = useCarillon()

describe('captured messages', () => {
  it('show what would have been sent, once even when it is sent twice', async () => {
    const save = createMessageStore(carillon.pool)
    const worker = carillon.deliver(async message => {
      await Promise.all([save(message), save(message)])
      return { kind: 'sent' }
    })
    const id = await carillon.send()
    await carillon.settled(id, 'sent')
    await worker.stop()
    const messages = await carillon.readAll(`/v1/captured-messages?notification_id=${id}`)
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatchObject({
      notification_id: id,
      route_id: 'email:address:ada@example.com',
      channel: 'email',
      notification_type: 'order_shipped',
      address: 'ada@example.com',
      locale: 'en',
      subject: 'Your order',
      text: 'It is on its way.',
    })
  })

  it('one that cannot be stored fails alone', async () => {
    const save = createMessageStore(carillon.pool)
    const outcomes: Record<string, string> = {}
    const worker = carillon.deliver(async message => {
      const broken = message.subject === 'broken'
      const saved = save(broken ? { ...message, text: 'a\u0000b' } : message)
      outcomes[message.subject] = await saved.then(
        () => 'saved',
        () => 'refused',
      )
      return { kind: 'sent' }
    })
    const ids = [
      await carillon.send({ payload: { title: 'broken' } }),
      await carillon.send({ payload: { title: 'whole' } }),
    ]
    for (const id of ids) await carillon.settled(id, 'sent')
    await worker.stop()
    expect(outcomes).toEqual({ broken: 'refused', whole: 'saved' })
  })
})
