import type { RouteStatus } from '@carillon/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, useCarillon } from '../../../test/carillon.ts'
import { claimDue } from '../../../test/claim-due.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
let worker: Service | undefined
afterEach(async () => {
  await worker?.stop()
  worker = undefined
})

const RETRY: Outcome = { kind: 'retry', message: 'busy' }
const cancel = (id: string) => carillon.request('POST', `/v1/records/${id}/cancel`)
const status = async (id: string) => (await carillon.routesOf(id))[0]!.status
const letterOf = async (id: string) =>
  (await carillon.readAll('/v1/dead-letters?state=all')).find(letter => letter.notification_id === id)
const replay = async (id: string) =>
  carillon.request('POST', `/v1/dead-letters/${(await letterOf(id))?.id ?? id}/replay`)

/** A record whose only route has the status, reached the way it is reached in production. */
async function routeIn(wanted: RouteStatus): Promise<string> {
  if (wanted === 'skipped') {
    await carillon.putUser('mute')
    return carillon.send({ audience: { kind: 'users', user_ids: ['mute'] }, channels: ['email'] })
  }
  const id = await carillon.send(wanted === 'pending' ? { send_at: '2031-01-01T00:00:00Z' } : {})
  if (wanted === 'pending') return id
  if (wanted === 'cancelled') await cancel(id)
  if (wanted === 'expired') {
    await carillon.passDeadline(id)
  }
  const outcomes: Partial<Record<RouteStatus, Outcome>> = {
    retrying: RETRY,
    dead: { kind: 'permanent', message: 'no' },
  }
  const delivering = carillon.deliver(() => outcomes[wanted] ?? { kind: 'sent' })
  await carillon.settled(id, wanted)
  await delivering.stop()
  return id
}

it.each([
  ['pending', { kind: 'sent' }, 'sent'],
  ['pending', RETRY, 'retrying'],
  ['pending', { kind: 'permanent', message: 'no' }, 'dead'],
  ['retrying', { kind: 'sent' }, 'sent'],
  ['retrying', { kind: 'permanent', message: 'no' }, 'dead'],
] as [RouteStatus, Outcome, RouteStatus][])(
  'a %s route moves after %j to %s',
  { tags: ['S000-17', 'S002-4'] },
  async (from, outcome, to) => {
    const id = await routeIn(from)
    worker = carillon.deliver(() => outcome)
    await carillon.skipWaiting()
    await carillon.settled(id, to)
  },
)

it.each(['pending', 'retrying'] as RouteStatus[])(
  'a %s route is cancelled on request',
  { tags: 'S002-4' },
  async from => {
    const id = await routeIn(from)
    await cancel(id)
    expect(await status(id)).toBe('cancelled')
  },
)

it.each(['pending', 'retrying'] as RouteStatus[])(
  'a %s route expires when its time is over',
  { tags: 'S000-17' },
  async from => {
    const id = await routeIn(from)
    await carillon.passDeadline(id)
    worker = carillon.deliver(() => ({ kind: 'sent' }))
    await carillon.skipWaiting()
    await carillon.settled(id, 'expired')
  },
)

it('a dead route becomes pending by replay', { tags: ['S000-17', 'S002-4'] }, async () => {
  const id = await routeIn('dead')
  expect((await replay(id)).status).toBe(200)
  expect(await status(id)).toBe('pending')
})

describe('finished routes', () => {
  const finished: RouteStatus[] = ['sent', 'skipped', 'cancelled', 'expired', 'dead']

  it.each(finished)(
    'a %s route is moved by no worker, cancel or replay',
    { tags: ['S000-17', 'S002-4'] },
    async state => {
      const id = await routeIn(state)
      const before = await carillon.routesOf(id)
      let asked = 0
      worker = carillon.deliver(() => {
        asked++
        return { kind: 'sent' }
      })
      await carillon.skipWaiting()
      const witness = await carillon.send()
      await carillon.settled(witness, 'sent')
      expect(asked).toBe(1)

      const answers: Answer[] = [await cancel(id)]
      if (state !== 'dead') answers.push(await replay(id))
      for (const answer of answers) expect([404, 409]).toContain(answer.status)
      expect(await carillon.routesOf(id)).toEqual(before)
    },
  )

  it('finished routes are never claimed, however long their time has passed', {
    tags: ['S000-19', 'S000-17'],
  }, async () => {
    for (const state of finished) await routeIn(state)
    const due = await carillon.send()
    const claimed = await claimDue(carillon.pool, 'email', 'test')
    expect(claimed.map(route => route.notification_id)).toEqual([due])
  })
})
