/** Mails with attachments or copies, which join no digest: everything else that a person chose holds for them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { DAILY, NIGHT, usePeople } from '../digests/people.fixture.ts'

const carillon = useCarillon()
const { aPerson, tell, deliverDue, deliverDigests } = usePeople(carillon)
const COPY = { email: { cc: ['accounting@example.com'] } }
const FILE = { email: { attachments: [{ filename: 'a.txt', content_type: 'text/plain', content: 'aGk=' }] } }
const NEXT_HOUR = new Date('2031-01-01T23:00:00Z')
const subjects = (sent: { subject: string }[]) => sent.map(({ subject }) => subject)
const routeOf = async (id: string) => (await carillon.routesOf(id))[0]!

beforeAll(() => carillon.putType('comment', { channels: ['email'], category: 'talk' }))

describe.each([
  ['a copy', COPY],
  ['an attachment', FILE],
])('a mail with %s', (_, options) => {
  it.each([
    ['a pause', { paused_until: '2031-01-03T00:00:00Z' }, { status: 'pending', reason: 'paused' }],
    [
      'quiet hours',
      { quiet_hours: { start: '22:00', end: '08:00' } },
      { status: 'pending', reason: 'quiet_hours' },
    ],
    ['a cap of 0', { frequency_cap: 0 }, { status: 'skipped', reason: 'frequency_cap' }],
  ])(
    'a mail that joins no digest is held back by %s, also from people who want digests',
    async (_case, email, held) => {
      const user = await aPerson(DAILY, email)
      const id = await tell(user, 'Invoice', options)
      expect(subjects(await deliverDue())).toEqual([])
      expect(await routeOf(id)).toMatchObject(held)
    },
  )

  it('a mail that joins no digest counts under the caps of people who want digests', async () => {
    const user = await aPerson(DAILY, { frequency_cap: 1 })
    await tell(user, 'Invoice', options)
    await deliverDue()
    const second = await tell(user, 'Another invoice', options)
    await deliverDue()
    expect(await routeOf(second)).toMatchObject({ status: 'skipped', reason: 'frequency_cap' })
  })

  it('a mail that joins no digest does not expire because of a digest', async () => {
    const user = await aPerson({ every: 'week', on: 'monday', at: '08:00' })
    await tell(user, 'Invoice', { ...options, expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    expect(subjects(await deliverDue())).toEqual(['Invoice'])
  })

  it('a mail that joins no digest waits by itself while a gathering cap is used up', async () => {
    const user = await aPerson(undefined, { caps: [{ per: 'hour', max: 1, over: 'digest' }] })
    await tell(user, 'First')
    await deliverDue()
    const id = await tell(user, 'Invoice', options)
    expect(subjects(await deliverDue(NIGHT))).toEqual([])
    expect(await routeOf(id)).toMatchObject({ status: 'pending', reason: 'cap_reached', digest_id: null })
    expect(subjects((await deliverDigests(NEXT_HOUR)).filter(({ user_id }) => user_id === user))).toEqual([
      'Invoice',
    ])
  })
})
