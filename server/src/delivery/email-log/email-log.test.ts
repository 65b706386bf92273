/** The storm dampener and the email log, through delivery and the API. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { claimDue, letLeasesRunOut } from '../../../test/claim-due.ts'
import { openTransaction, untilBlocked } from '../../../test/open-transaction.ts'
import { inboxOf } from '../../inbox/notifications/inbox.fixture.ts'
import { createPool } from '../../platform/database/pool.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type MailToReserve, reserveMails } from './reserve.ts'
import { SWEEP_EMAIL_LOG } from './sweep.ts'

const carillon = useCarillon()
const SENT: Outcome = { kind: 'sent' }
let unique = 0
let person = ''

beforeAll(async () => {
  await carillon.putType('comment', { channels: ['email'] })
  await carillon.putType('alarm', { channels: ['email'], critical: true })
})
beforeEach(async () => {
  person = `person-${++unique}`
  await carillon.putUser(person, { email: `${person}@example.com` })
})

const thread = (id: string) => ({ kind: 'issue', id: `${person}-${id}` })

function tell(more: object = {}): Promise<string> {
  return carillon.send({
    notification_type: 'comment',
    audience: { kind: 'users', user_ids: [person] },
    payload: { n: ++unique },
    ...more,
  })
}

/** What becomes of mails, one after the other. */
async function deliver(intents: object[], outcome = SENT): Promise<string[]> {
  const worker = carillon.deliver(() => outcome)
  const seen: string[] = []
  for (const intent of intents) {
    const [route] = await carillon.settled(await tell(intent), 'sent', 'skipped', 'dead', 'retrying')
    seen.push(route!.reason || route!.status)
  }
  await worker.stop()
  return seen
}

/** Reservations too, which the API does not list. */
const rowsOf = async (user = person) =>
  (
    await carillon.pool.query('select sent_at from notification_email_log where user_id = $1 order by id', [
      user,
    ])
  ).rows
const move = (interval: string) =>
  carillon.pool.query(
    'update notification_email_log set counted_at = counted_at - $2::interval where user_id = $1',
    [person, interval],
  )
const list = (query: string) => carillon.request('GET', `/v1/email-log?${query}`)
const limit = (body: object) => carillon.request('PATCH', '/v1/tenant', { body })

describe('the storm dampener', { tags: 'S001-28' }, () => {
  it('the storm dampener lets one mail per person and thread through in any ten minutes', async () => {
    const [one, two] = [{ thread: thread('1') }, { thread: thread('2') }]
    expect(await deliver([one, one, two, one])).toEqual(['sent', 'storm', 'sent', 'storm'])
    await move('9 minutes 50 seconds')
    expect(await deliver([one])).toEqual(['storm'])
    await move('11 seconds')
    expect(await deliver([one, one])).toEqual(['sent', 'storm'])
  })

  it('the storm dampener counts a person’s mails about threads in any hour, and no others', async () => {
    await limit({ mails_per_hour: 3 })
    const many = ['a', 'b', 'c', 'd'].map(id => ({ thread: thread(id) }))
    expect(await deliver([{}, ...many, {}])).toEqual(['sent', 'sent', 'sent', 'sent', 'storm', 'sent'])
    await move('59 minutes')
    expect(await deliver([{ thread: thread('e') }])).toEqual(['storm'])
    await move('2 minutes')
    expect(await deliver([{ thread: thread('e') }])).toEqual(['sent'])
    await limit({ mails_per_hour: 100 })
  })

  it('critical types pass the storm dampener and count for the others', async () => {
    const about = { thread: thread('1') }
    const alarm = { ...about, notification_type: 'alarm' }
    expect(await deliver([alarm, alarm, about])).toEqual(['sent', 'sent', 'storm'])
    expect(await rowsOf()).toHaveLength(2)
  })

  it('mails of a required category pass the storm dampener and count for the others', async () => {
    await carillon.request('PUT', '/v1/categories/security', { body: { required: true } })
    await carillon.putType('login', { channels: ['email'], category: 'security' })
    const about = { thread: thread('1') }
    const login = { ...about, notification_type: 'login' }
    expect(await deliver([login, login, about])).toEqual(['sent', 'sent', 'storm'])
  })

  it('a thread window of 0 lets all mails about a thread through', async () => {
    await limit({ mails_per_thread_window_seconds: 0 })
    expect(await deliver([{ thread: thread('1') }, { thread: thread('1') }])).toEqual(['sent', 'sent'])
    await limit({ mails_per_thread_window_seconds: 600 })
  })

  it('simulate says what the storm dampener would do, and counts nothing', async () => {
    const about = { thread: thread('1') }
    const simulate = async () => {
      const body = {
        notification_type: 'comment',
        audience: { kind: 'users', user_ids: [person] },
        payload: { n: ++unique },
        ...about,
      }
      const answer = await carillon.request('POST', '/v1/intents/simulate', { body })
      return answer.body.people[0].routes[0].reason
    }
    expect([await simulate(), await simulate()]).toEqual(['', ''])
    await deliver([about])
    expect(await simulate()).toBe('storm')
    expect(await rowsOf()).toHaveLength(1)
  })
})

describe('counting and reserving', { tags: 'S001-29' }, () => {
  const asked = (n: number, about: string | null): MailToReserve => ({
    route: {
      tenant_id: carillon.tenantId,
      notification_id: randomUUID(),
      route_id: `r${n}`,
      user_id: person,
    },
    thread: about === null ? null : thread(about),
    isExempt: false,
    at: undefined,
  })

  it('two connections that ask at once get one mail per thread and the hourly number together', async () => {
    const pools = [1, 2].map(() => createPool(carillon.url, { max: 1 }))
    let n = 0
    const batch = () => Array.from({ length: 30 }, () => asked(++n, `t${n % 70}`))
    const answers: (string | null)[] = []
    for (let round = 0; round < 6; round++) {
      const both = await Promise.all(pools.map(pool => reserveMails(pool, batch())))
      answers.push(...both.flat())
    }
    expect(answers.filter(answer => answer === null)).toHaveLength(70)
    expect(answers.filter(answer => answer === 'thread')).toHaveLength(290)
    const rest = await Promise.all(
      pools.map(pool =>
        reserveMails(
          pool,
          Array.from({ length: 40 }, () => asked(++n, null)),
        ),
      ),
    )
    expect(rest.flat().filter(answer => answer === null)).toHaveLength(30)
    expect(rest.flat().filter(answer => answer === 'hour')).toHaveLength(50)
    await Promise.all(pools.map(pool => pool.end()))
  })

  it('a connection waits for another that has counted and not committed', async () => {
    const first = await openTransaction(carillon.pool)
    expect(await reserveMails(first.client, [asked(1, 'x')])).toEqual([null])
    const order: string[] = []
    const waiting = reserveMails(carillon.pool, [asked(2, 'x')]).then(answer => {
      order.push('second')
      return answer
    })
    await untilBlocked(carillon.pool, 1, 'the second connection to wait')
    order.push('first')
    await first.commit()
    expect(await waiting).toEqual(['thread'])
    expect(order).toEqual(['first', 'second'])
  })

  it.each([
    ['permanent', 'does not count', { kind: 'permanent', message: 'no such mailbox' }, 0],
    ['retry', 'does not count', { kind: 'retry', message: 'away' }, 0],
    ['uncertain', 'counts', { kind: 'uncertain', message: 'no answer' }, 1],
  ] satisfies [string, string, Outcome, number][])(
    'a mail that ends as %s %s',
    async (_kind, _effect, outcome, counted) => {
      await deliver([{ thread: thread('1') }], outcome)
      const rows = await rowsOf()
      expect(rows).toHaveLength(counted)
      // The log itself has only what was sent.
      expect(rows.filter(({ sent_at }) => sent_at !== null)).toEqual([])
      expect(await deliver([{ thread: thread('1') }])).toEqual([counted === 0 ? 'sent' : 'storm'])
    },
  )

  it('a mail that may have arrived still counts when a later attempt certainly fails', async () => {
    const uncertain = carillon.deliver(() => ({ kind: 'uncertain', message: 'no answer' }))
    const id = await tell({ thread: thread('1') })
    await carillon.settled(id, 'retrying')
    await uncertain.stop()
    await carillon.skipWaiting()
    const failing = carillon.deliver(() => ({ kind: 'permanent', message: 'no such mailbox' }))
    await carillon.settled(id, 'dead')
    await failing.stop()
    expect(await rowsOf()).toMatchObject([{ sent_at: null }])
    expect(await deliver([{ thread: thread('1') }])).toEqual(['storm'])
  })

  it('a dead worker’s reservation blocks neither its own mail nor others for ever', async () => {
    const id = await tell({ thread: thread('1') })
    const route = (await claimDue(carillon.pool, 'email', 'doomed', 500)).find(
      each => each.notification_id === id,
    )!
    const mail = { route, thread: thread('1'), isExempt: false, at: undefined }
    expect(await reserveMails(carillon.pool, [mail])).toEqual([null])
    expect(await deliver([{ thread: thread('1') }])).toEqual(['storm'])
    await letLeasesRunOut(carillon.pool)
    const worker = carillon.deliver(() => SENT)
    await carillon.settled(id, 'sent')
    await worker.stop()
    expect((await list(`user_id=${person}`)).body.data).toHaveLength(1)
    // One whose route never came back stops counting when its time is over.
    await carillon.pool.query('update notification_email_log set sent_at = null where user_id = $1', [person])
    await move('10 minutes')
    expect(await deliver([{ thread: thread('1') }])).toEqual(['sent'])
  })

  it('four workers with sixty mails about ten threads send ten', async () => {
    const ids: string[] = []
    for (let n = 0; n < 60; n++) ids.push(await tell({ thread: thread(String(n % 10)) }))
    let sends = 0
    const workers = [1, 2, 3, 4].map(() =>
      carillon.deliver(
        () => {
          sends++
          return SENT
        },
        { concurrency: 5 },
      ),
    )
    const reasons: string[] = []
    for (const id of ids) reasons.push((await carillon.settled(id, 'sent', 'skipped'))[0]!.reason)
    await Promise.all(workers.map(worker => worker.stop()))
    expect([sends, reasons.filter(reason => reason === 'storm').length]).toEqual([10, 50])
  })

  it('a mail that the dampener refuses does not count under a cap', async () => {
    const body = { channels: { email: { frequency_cap: 2 } } }
    await carillon.request('PUT', `/v1/users/${person}/preferences`, { body })
    const about = { thread: thread('1') }
    expect(await deliver([about, about, about, {}, {}])).toEqual([
      'sent',
      'storm',
      'storm',
      'sent',
      'frequency_cap',
    ])
  })
})

describe('the email log', { tags: 'S001-32' }, () => {
  it('the email log lists what one person got, newest first, in pages', async () => {
    await deliver([{ thread: thread('1') }, {}, { thread: thread('2') }, { thread: thread('2') }])
    const first = await list(`user_id=${person}&limit=1`)
    expect(first.body.data).toEqual([
      {
        id: expect.any(String),
        user_id: person,
        notification_id: expect.any(String),
        route_id: `email:user:${person}`,
        inbox_id: null,
        thread: thread('2'),
        message_id: expect.stringMatching(/^[0-9a-f-]{36}\.[0-9a-f]{16}$/),
        sent_at: expect.any(String),
      },
    ])
    const second = await list(`user_id=${person}&limit=1&cursor=${first.body.next_cursor}`)
    expect(second.body.data).toMatchObject([{ thread: thread('1') }])
    expect(second.body.next_cursor).toBeNull()
    expect((await list('user_id=nobody')).body.data).toEqual([])
  })

  it('the email log does not list a mail that may not have been sent', async () => {
    expect(await deliver([{ thread: thread('1') }], { kind: 'uncertain', message: 'no answer' })).toEqual([
      'retrying',
    ])
    expect(await rowsOf()).toEqual([{ sent_at: null }])
    expect((await list(`user_id=${person}`)).body.data).toEqual([])
  })

  it('the email log is kept for 90 days', async () => {
    await deliver([{ thread: thread('1') }, { thread: thread('2') }])
    const age = `update notification_email_log set created_at = now() - $1::interval
      where user_id = $2 and thread_id = $3`
    await carillon.pool.query(age, ['89 days', person, thread('1').id])
    await carillon.pool.query(age, ['91 days', person, thread('2').id])
    await carillon.pool.query(SWEEP_EMAIL_LOG, [1000])
    expect((await list(`user_id=${person}`)).body.data).toMatchObject([{ thread: thread('1') }])
  })

  it('the email log is listed for one person only', async () => {
    const { status, body } = await list('')
    expect([status, body.errors[0].field]).toEqual([400, 'user_id'])
  })

  it('a log entry goes with its person, and stays when the inbox row goes', { tags: 'S001-6' }, async () => {
    const [id] = await inboxOf(carillon).add({
      user: person,
      thread_kind: 'issue',
      thread_id: thread('1').id,
    })
    await deliver([{ thread: thread('1') }])
    const inboxId = async () => (await list(`user_id=${person}`)).body.data[0].inbox_id
    expect(await inboxId()).toBe(id)
    await carillon.pool.query('delete from notifications where id = $1', [id])
    expect(await inboxId()).toBeNull()
    expect(await deliver([{ thread: thread('1') }])).toEqual(['storm'])
    await carillon.request('DELETE', `/v1/users/${person}`)
    expect(await rowsOf()).toEqual([])
  })
})
