/** What is over a cap that gathers: one digest per type when the next period begins, itself under the caps of that one. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { NIGHT, usePeople } from '../digests/people.fixture.ts'

const carillon = useCarillon()
const { aPerson, choose, tell, deliverDue, deliverDigests } = usePeople(carillon)
const HOURLY = { caps: [{ per: 'hour', max: 1, over: 'digest' }] }
const NEXT_HOUR = new Date('2031-01-01T23:00:00Z')
const subjects = (sent: { subject: string }[]) => sent.map(({ subject }) => subject)
const routeOf = async (id: string) => (await carillon.routesOf(id))[0]!
const explain = async (id: string) =>
  JSON.stringify((await carillon.request('GET', `/v1/records/${id}/explain`)).body)

beforeAll(async () => {
  await carillon.putType('comment', { channels: ['email'], category: 'talk' })
  await carillon.putType('alarm', { channels: ['email'], category: 'talk', critical: true })
})

/** Sends messages in this order, and delivers each before the next. */
async function tellInTurn(user: string, titles: string[], now = NIGHT): Promise<string[]> {
  const ids: string[] = []
  for (const title of titles) {
    ids.push(await tell(user, title))
    await deliverDue(now)
  }
  return ids
}

/** Delivers the digests as if they were due; answers the subjects of those for this person. */
async function digestsFor(user: string, now: Date): Promise<string[]> {
  return subjects((await deliverDigests(now)).filter(({ user_id }) => user_id === user))
}

it('messages over a gathering cap go out as one in the next period and count as one there', async () => {
  const user = await aPerson(undefined, HOURLY)
  const [first, second] = await tellInTurn(user, ['One', 'Two', 'Three'])
  expect((await routeOf(first!)).status).toBe('sent')
  expect(await routeOf(second!)).toMatchObject({ status: 'skipped', reason: 'digested' })
  expect(await explain(second!)).toContain('At most 1 an hour on this channel. It is part of the digest')
  expect(await digestsFor(user, NEXT_HOUR)).toEqual(['2 × Comment'])
  const [fourth] = await tellInTurn(user, ['Four'], NEXT_HOUR)
  expect((await routeOf(fourth!)).reason).toBe('digested')
})

it('a digest over a cap waits for another period if the next one is used up as well', async () => {
  const user = await aPerson(undefined, HOURLY)
  const [, second] = await tellInTurn(user, ['One', 'Two'])
  await tellInTurn(user, ['Quicker'], NEXT_HOUR)
  expect(await digestsFor(user, NEXT_HOUR)).toEqual([])
  const { digest_id } = await routeOf(second!)
  expect(await routeOf(digest_id!)).toMatchObject({ status: 'pending', reason: 'cap_reached' })
  expect(await digestsFor(user, new Date('2031-01-02T00:00:00Z'))).toEqual(['Two'])
})

it('a digest that waits for a period gathers more and leaves out what is cancelled or expired', async () => {
  const user = await aPerson(undefined, HOURLY)
  await tellInTurn(user, ['One'])
  const brief = await tell(user, 'Brief', { expires_at: '2031-01-02T00:00:00Z' })
  const [withdrawn] = await tellInTurn(user, ['Withdrawn', 'Two'])
  await tellInTurn(user, ['Quicker'], NEXT_HOUR)
  expect(await digestsFor(user, NEXT_HOUR)).toEqual([])
  expect((await carillon.request('POST', `/v1/records/${withdrawn}/cancel`)).body).toMatchObject({
    cancelled: 1,
  })
  await carillon.passDeadline(brief)
  await tellInTurn(user, ['Three'], NEXT_HOUR)
  expect(await digestsFor(user, new Date('2031-01-02T00:00:00Z'))).toEqual(['2 × Comment'])
  expect(await routeOf(brief)).toMatchObject({ status: 'expired', reason: 'deadline' })
})

it('a digest over a cap does not count if nothing of it is left', async () => {
  const user = await aPerson(undefined, HOURLY)
  const [, second] = await tellInTurn(user, ['One', 'Two'])
  await carillon.request('POST', `/v1/records/${second}/cancel`, { body: {} })
  expect(await digestsFor(user, NEXT_HOUR)).toEqual([])
  const [third] = await tellInTurn(user, ['Three'], NEXT_HOUR)
  expect((await routeOf(third!)).status).toBe('sent')
})

it('a message over a gathering cap is skipped if another cap says so', async () => {
  const user = await aPerson(undefined, { ...HOURLY, frequency_cap: 1 })
  const [, second] = await tellInTurn(user, ['One', 'Two'])
  expect((await routeOf(second!)).reason).toBe('frequency_cap')
})

it('a message over a cap expires if the next period is too late, and critical ones pass', async () => {
  const user = await aPerson(undefined, { caps: [{ per: 'week', max: 1, over: 'digest' }] })
  await tellInTurn(user, ['One'])
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const late = await tell(user, 'Two', { expires_at })
  await tell(user, 'Alarm', { notification_type: 'alarm' })
  expect(subjects(await deliverDue())).toEqual(['Alarm'])
  expect(await routeOf(late)).toMatchObject({ status: 'expired', reason: 'deadline' })
})

it('a digest over a cap keeps its time through other changes, and goes out without the cap', async () => {
  const user = await aPerson(undefined, HOURLY)
  await tellInTurn(user, ['One', 'Two'])
  await choose(user, undefined, { ...HOURLY, quiet_hours: { start: '01:00', end: '02:00' } })
  expect(await deliverDue()).toEqual([])
  await choose(user, undefined, {})
  expect(subjects(await deliverDue())).toEqual(['Two'])
})

it('a gathering cap of one category lets the others through', async () => {
  await carillon.putType('plain', { channels: ['email'], category: 'other' })
  const caps = [{ per: 'day', max: 1, category: 'talk', over: 'digest' }]
  const user = await aPerson(undefined, { caps })
  const [, second] = await tellInTurn(user, ['One', 'Two'])
  expect((await routeOf(second!)).reason).toBe('digested')
  const other = await tell(user, 'Other', { notification_type: 'plain' })
  await deliverDue()
  expect((await routeOf(other)).status).toBe('sent')
})
