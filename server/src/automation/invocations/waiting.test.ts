import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { transaction } from '../../platform/database/pool.ts'
import { insertInbox } from './queries.ts'
import { storeReply } from './replies.ts'
import { SWEEP_REPLY_INBOXES } from './sweep.ts'
import { createReplyWaiter, type ReplyWaiter, type WaitedInbox } from './waiting.ts'

const carillon = useCarillon()
const LONG_MS = 600_000
const NEVER = new AbortController().signal
const aReply = (reply_json = '"hello"') => ({ status_code: 200, reply_json })

let errors: unknown[]
const waiter = (pollMs = 20): ReplyWaiter =>
  createReplyWaiter({ pool: carillon.pool, pollMs, onError: error => errors.push(error) })

beforeEach(async () => {
  errors = []
  await carillon.pool.query('delete from reply_inboxes; delete from abandoned_executions')
})

async function anInbox(expires_in_ms = LONG_MS): Promise<WaitedInbox> {
  const ids = { id: randomUUID(), outbox_id: randomUUID(), script_id: randomUUID() }
  const inbox = { tenant_id: carillon.tenantId, ...ids }
  await insertInbox(carillon.pool, { ...inbox, expires_in_ms })
  return inbox
}

const replyTo = ({ tenant_id, id, outbox_id, script_id }: WaitedInbox, reply = aReply()) =>
  transaction(carillon.pool, tx => storeReply(tx, tenant_id, id, { ...reply, outbox_id, script_id }))
const inboxes = async () => (await carillon.pool.query('select id from reply_inboxes')).rowCount
const abandoned = () => carillon.readAll('/v1/abandoned-executions')

describe('whoever waits for a reply', () => {
  it('gets it by polling, without any hint, and the inbox is gone', async () => {
    const [here, one, two] = [waiter(), await anInbox(), await anInbox()]
    const waits = [here.wait(one, LONG_MS, NEVER), here.wait(two, LONG_MS, NEVER)]
    expect(await replyTo(two, aReply('2'))).toBe('stored')
    expect(await replyTo(one, aReply('1'))).toBe('stored')
    expect(await Promise.all(waits)).toEqual([aReply('1'), aReply('2')])
    expect(await inboxes()).toBe(0)
    expect(await abandoned()).toEqual([])
  })

  it('gets it at once after a hint, long before the next poll', async () => {
    const [here, inbox] = [waiter(LONG_MS), await anInbox()]
    const waits = here.wait(inbox, LONG_MS, NEVER)
    await replyTo(inbox)
    expect(here.hint(randomUUID())).toBe(false)
    expect(here.hint(inbox.id)).toBe(true)
    expect(await waits).toEqual(aReply())
  })

  it('gets it when any may have come, as after a lost connection', async () => {
    const [here, inbox] = [waiter(LONG_MS), await anInbox()]
    const waits = here.wait(inbox, LONG_MS, NEVER)
    await replyTo(inbox)
    here.hint('')
    expect(await waits).toEqual(aReply())
  })

  it('asks with one statement for all who wait, and with none while nobody does', async () => {
    const asked: number[] = []
    const pool = {
      query: async (_text: string, [, ids]: [unknown, string[]]) => {
        asked.push(ids.length)
        return { rows: [] }
      },
    } as never
    const here = createReplyWaiter({ pool, pollMs: 1, onError: error => errors.push(error) })
    const leave = new AbortController()
    const waits = ['a', 'b', 'c'].map(id =>
      here.wait({ tenant_id: 't', id, outbox_id: 'o', script_id: 's' }, LONG_MS, leave.signal),
    )
    await waitFor(async () => asked.length >= 3, { what: 'three polls' })
    expect(new Set(asked)).toEqual(new Set([3]))
    leave.abort()
    await Promise.all(waits)
    // What follows are the three who give up their inboxes, and no poll.
    expect(errors).toHaveLength(0)
  })

  it('is told that its time is up, and an ordinary timeout leaves nothing behind', {
    tags: 'S003-16',
  }, async () => {
    const [here, inbox] = [waiter(LONG_MS), await anInbox()]
    expect(await here.wait(inbox, 1, NEVER)).toBeUndefined()
    expect(await inboxes()).toBe(0)
    expect(await abandoned()).toEqual([])
  })

  it('still gets a reply that came just before its time was up', async () => {
    const [here, inbox] = [waiter(LONG_MS), await anInbox()]
    await replyTo(inbox)
    expect(await here.wait(inbox, 1, NEVER)).toEqual(aReply())
    expect(await abandoned()).toEqual([])
  })

  it('survives a database that does not answer', async () => {
    const [here, inbox] = [waiter(), await anInbox()]
    const waits = here.wait(inbox, LONG_MS, NEVER)
    await carillon.pool.query('alter table reply_inboxes rename to hidden')
    await waitFor(async () => errors.length >= 2, { what: 'failed polls' })
    await carillon.pool.query('alter table hidden rename to reply_inboxes')
    await replyTo(inbox)
    expect(await waits).toEqual(aReply())
  })
})

describe('a result that comes too late', () => {
  it('is kept as one abandoned execution when the caller had given up', { tags: 'S003-16' }, async () => {
    const [here, inbox] = [waiter(), await anInbox()]
    await here.wait(inbox, 1, NEVER)
    expect(await replyTo(inbox, { status_code: 422, reply_json: 'x'.repeat(5000) })).toBe('abandoned')
    const { id, outbox_id, script_id } = inbox
    expect(await abandoned()).toEqual([
      {
        id: expect.any(String),
        execution_id: outbox_id,
        script_id,
        inbox_id: id,
        status_code: 422,
        summary: 'x'.repeat(1000),
        created_at: expect.any(String),
      },
    ])
  })

  it('is kept when the inbox is unknown or has expired', { tags: 'S003-16' }, async () => {
    const unknown = { ...(await anInbox()), id: randomUUID() }
    expect(await replyTo(unknown)).toBe('abandoned')
    expect(await replyTo(await anInbox(-1))).toBe('abandoned')
    expect(await abandoned()).toHaveLength(2)
  })

  it('is kept once when the caller leaves at the very moment, however often one tries', {
    tags: 'S003-16',
  }, async () => {
    const here = waiter(1)
    let kept = 0
    for (let i = 0; i < 30; i++) {
      const [inbox, leave] = [await anInbox(), new AbortController()]
      const waits = here.wait(inbox, LONG_MS, leave.signal)
      const replied = replyTo(inbox)
      for (let turns = i % 5; turns > 0; turns--) await new Promise(setImmediate)
      leave.abort()
      const [reply] = await Promise.all([waits, replied])
      kept += reply === undefined ? 1 : 0
      const rows = (await abandoned()).filter(row => row.inbox_id === inbox.id)
      expect(rows).toHaveLength(reply === undefined ? 1 : 0)
    }
    expect(kept).toBeGreaterThan(0)
    expect(await inboxes()).toBe(0)
  })

  it('is kept when the process of the caller died: the sweep finds the reply that nobody read', {
    tags: 'S003-16',
  }, async () => {
    const [read, unread, waited] = [await anInbox(), await anInbox(), await anInbox()]
    await replyTo(read)
    await replyTo(unread)
    await carillon.pool.query("update reply_inboxes set expires_at = now() - interval '1 s' where id <> $1", [
      waited.id,
    ])
    await waiter().wait(read, 1, NEVER)
    const { rowCount } = await carillon.pool.query(SWEEP_REPLY_INBOXES, [1000])
    expect(rowCount).toBe(1)
    expect(await abandoned()).toMatchObject([{ inbox_id: unread.id, status_code: 200, summary: '"hello"' }])
    expect(await inboxes()).toBe(1)
  })
})
