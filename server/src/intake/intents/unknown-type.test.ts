import { expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const submit = (path: string, body: object) => carillon.request('POST', path, { body })
const explain = async (id: string): Promise<string[]> => {
  const { body } = await carillon.request('GET', `/v1/records/${id}/explain`)
  return body.decisions
    .filter(({ decision }: { decision: string }) => decision === 'unknown_type')
    .map(({ text }: { text: string }) => text)
}

const WARNING = {
  code: 'unknown_type',
  detail: 'The catalog has no type "order_shiped", so nothing is known about it.',
}

it('an unknown type is accepted with a warning, alone, in a batch and when simulated, and explain shows it', async () => {
  const misspelt = { ...AN_INTENT, notification_type: 'order_shiped' }
  expect((await submit('/v1/intents/simulate', misspelt)).body.warnings).toEqual([WARNING])
  const { status, body } = await submit('/v1/intents', misspelt)
  expect([status, body.warnings]).toEqual([202, [WARNING]])
  expect(await explain(body.notification_id)).toEqual([WARNING.detail])

  await carillon.putType('order_shipped', { channels: ['email'] })
  const batch = await submit('/v1/intents/batch', {
    intents: [{ ...misspelt, payload: { title: 'another' } }, AN_INTENT],
  })
  expect(batch.body.items.map(({ warnings }: { warnings?: object[] }) => warnings)).toEqual([
    [WARNING],
    undefined,
  ])
  expect(await explain(batch.body.items[1].notification_id)).toEqual([])
})

it('a type that was added to the catalog afterwards is explained as such', async () => {
  const id = await carillon.send({ notification_type: 'added_later' })
  await carillon.putType('added_later', { channels: ['email'] })
  expect(await explain(id)).toEqual([expect.stringMatching(/had no type "added_later" before 20/)])
})
