import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { addPeople } from '../../../test/people.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Message } from '../../content/messages/message.ts'
import { expandChunk } from '../../planning/expansions/expander.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
const CROWD = 120
let neighbour: { id: string; key: string }
let letGo: (() => void)[] = []

/** Hangs for addresses that say so; the others arrive at once. */
function deliverTo(arrived: string[]) {
  let hanging = 0
  const worker = carillon.deliver(
    (message: Message): Outcome | Promise<Outcome> => {
      if (!message.address.startsWith('hang')) {
        arrived.push(message.address)
        return { kind: 'sent' }
      }
      hanging++
      return new Promise(resolve => letGo.push(() => resolve({ kind: 'sent' })))
    },
    { concurrency: 5 },
  )
  return { worker, hanging: () => hanging }
}
const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`)
const mail = (address: string) => ({
  audience: { kind: 'addresses', channel: 'email', addresses: [address] },
})
const intent = (address: string) => ({ ...mail(address), notification_type: 't', payload: { title: 'T' } })
const sendAsNeighbour = (address: string) =>
  carillon.request('POST', '/v1/intents', { body: intent(address), key: neighbour.key })

beforeAll(async () => {
  neighbour = await carillon.createTenant('neighbour')
  await addPeople(carillon, many('hang', CROWD))
})
beforeEach(() => carillon.pool.query('delete from routes'))
afterEach(() => {
  for (const go of letGo) go()
  letGo = []
})

it('a hanging provider takes no slot from another tenant, known to the worker or new', async () => {
  for (let i = 0; i < 60; i++) await carillon.send(mail(`hang${i}@example.com`))
  const arrived: string[] = []
  const { worker, hanging } = deliverTo(arrived)
  await waitFor(async () => hanging() === 5, { what: 'every slot to hang' })
  await sendAsNeighbour('first@example.com')
  await waitFor(async () => arrived.length === 1, { what: 'the neighbour’s message' })
  await sendAsNeighbour('second@example.com')
  await waitFor(async () => arrived.length === 2, { what: 'the neighbour’s next message' })
  for (const go of letGo) go()
  await worker.stop()
})

it('a hanging broadcast delays neither a single message nor a critical one of its tenant', async () => {
  await carillon.putType('alarm', { channels: ['email'], critical: true })
  await carillon.send({ audience: { kind: 'tenant' }, channels: ['email'] })
  while (await expandChunk({ pool: carillon.pool, onExpanded: () => {} }));
  const arrived: string[] = []
  const { worker, hanging } = deliverTo(arrived)
  await waitFor(async () => hanging() === 5, { what: 'every slot to hang' })
  await carillon.send(mail('single@example.com'))
  await carillon.send({ ...mail('alarm@example.com'), notification_type: 'alarm' })
  await waitFor(async () => arrived.length === 2, { what: 'both' })
  for (const go of letGo) go()
  await worker.stop()
})

it('critical messages and messages to a few people overtake a waiting broadcast', async () => {
  await carillon.send({ audience: { kind: 'tenant' }, channels: ['email'] })
  while (await expandChunk({ pool: carillon.pool, onExpanded: () => {} }));
  await carillon.send(mail('single@example.com'))
  await carillon.send({ ...mail('alarm@example.com'), notification_type: 'alarm' })
  const arrived: string[] = []
  const worker = carillon.deliver(
    (message: Message) => {
      arrived.push(message.address)
      return { kind: 'sent' }
    },
    { concurrency: 1 },
  )
  await waitFor(async () => arrived.length === CROWD + 2, { what: 'everything' })
  await worker.stop()
  // A worker may have claimed a few of the crowd before it looked for other lanes.
  const few = CROWD / 10
  expect(arrived.indexOf('alarm@example.com')).toBeLessThan(few)
  expect(arrived.indexOf('single@example.com')).toBeLessThan(few)
})

it('a newcomer is served long before another tenant’s flood of quick messages ends', async () => {
  const flood = 4000
  await addPeople(carillon, many('flood', flood))
  await carillon.send({ audience: { kind: 'tenant' }, channels: ['email'], payload: { title: 'Flood' } })
  while (await expandChunk({ pool: carillon.pool, onExpanded: () => {} }));
  const newcomer = await carillon.createTenant('newcomer')
  const arrived: string[] = []
  const worker = carillon.deliver(
    (message: Message) => {
      arrived.push(message.address)
      if (arrived.length === 1)
        void carillon.request('POST', '/v1/intents', { body: intent('new@example.com'), key: newcomer.key })
      return { kind: 'sent' }
    },
    // As by default: slots for more than one claim can bring.
    { concurrency: 500 },
  )
  await waitFor(async () => arrived.includes('new@example.com'), { what: 'the newcomer’s message' })
  await worker.stop()
  expect(arrived.indexOf('new@example.com')).toBeLessThan(flood - 1000)
})

it('an audience that turns out to be small has the priority of a message to a few people', async () => {
  await carillon.request('PUT', '/v1/topics/few/watch', { body: { user_id: 'hang-1', level: 'all' } })
  const id = await carillon.send({ audience: { kind: 'topic', topic: 'few' }, channels: ['email'] })
  await expandChunk({ pool: carillon.pool, onExpanded: () => {} })
  const { rows } = await carillon.pool.query('select priority from routes where notification_id = $1', [id])
  expect(rows).toEqual([{ priority: 1 }])
})
