/** People who chose when to get digests of the category `talk`, and what is delivered to them. */
import type { DigestSchedule } from '@carillon/contract'
import { expect } from 'vitest'
import type { TestCarillon } from '../../../test/carillon.ts'
import type { Message } from '../../content/messages/message.ts'
import { createInboxWriter } from '../../inbox/notifications/notifications.ts'

/** A Wednesday, 23:00 in Berlin, where they live. */
export const NIGHT = new Date('2031-01-01T22:00:00Z')
export const DAILY: DigestSchedule = { every: 'day', at: '08:00' }

export function usePeople(carillon: TestCarillon) {
  let people = 0

  async function choose(id: string, talk: DigestSchedule | undefined, email: object = {}): Promise<void> {
    const body = { channels: { email }, ...(talk && { digests: { talk: { email: talk } } }) }
    expect((await carillon.request('PUT', `/v1/users/${id}/preferences`, { body })).status).toBe(200)
  }

  async function aPerson(talk: DigestSchedule | undefined, email: object = {}): Promise<string> {
    const id = `person-${++people}`
    await carillon.putUser(id, { email: `${id}@example.com`, timezone: 'Europe/Berlin' })
    await choose(id, talk, email)
    return id
  }

  const tell = (user: string, title: string, more: object = {}) =>
    carillon.send({
      notification_type: 'comment',
      audience: { kind: 'users', user_ids: [user] },
      payload: { title },
      ...more,
    })

  /** Delivers what is due, with preferences applied as of `now`; answers what was sent. */
  async function deliverDue(now = NIGHT): Promise<Message[]> {
    const sent: Message[] = []
    const writeInbox = createInboxWriter(carillon.pool)
    const worker = carillon.deliver(
      async message => {
        if (message.channel === 'in_app') await writeInbox(message)
        sent.push(message)
        return { kind: 'sent' }
      },
      { now: () => now },
    )
    await carillon.nothingDue()
    await worker.stop()
    return sent
  }

  /** Delivers the digests as if they were due. */
  async function deliverDigests(now = NIGHT): Promise<Message[]> {
    await carillon.skipWaiting()
    return deliverDue(now)
  }

  return { aPerson, choose, tell, deliverDue, deliverDigests }
}
