import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aHandler, startDispatcher } from '../../../test/dispatching.ts'
import { addLetterTrigger, type LetterFilter } from '../../../test/letter-triggers.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { transaction } from '../../platform/database/pool.ts'
import { claimRows, type OutboxRow } from '../outbox/claim.ts'
import { completeRows } from '../outbox/complete.ts'
import { decideDispatch } from '../outbox/decide.ts'
import { enqueue, type NewOutboxRow } from '../outbox/enqueue.ts'

const carillon = useCarillon()

beforeEach(async () => {
  for (const table of ['outbox', 'dead_letters', 'scripts']) await carillon.pool.query(`delete from ${table}`)
})

const put = async (row: Partial<NewOutboxRow> = {}): Promise<string> => {
  const [id] = await enqueue(carillon.pool, [
    {
      tenant_id: carillon.tenantId,
      source_kind: 'kv',
      op: 'insert',
      target_id: randomUUID(),
      payload: '{"key": "k"}',
      ...row,
    },
  ])
  return id!
}
const claim = (kind = 'kv') => claimRows(carillon.pool, [], { [kind]: 100 }, 100, 'me', 30)
const giveUp = (rows: OutboxRow[]) =>
  rows.map(row => decideDispatch(row, { kind: 'permanent', message: 'no' }, 0.5))

/** Puts the rows into the outbox and gives them up at once. */
async function die(...rows: Partial<NewOutboxRow>[]): Promise<void> {
  for (const row of rows) await put(row)
  for (const kind of new Set(rows.map(row => row.source_kind ?? 'kv')))
    await completeRows(carillon.pool, 'me', giveUp(await claim(kind)))
}

/** Returns how often the dispatcher was woken. */
async function deadRoute(depth: number): Promise<number> {
  const id = await carillon.send({ payload: { n: 1 } })
  await carillon.pool.query('update records set trigger_depth = $2 where notification_id = $1', [id, depth])
  let woken = 0
  const events = { onAttempt: () => {}, onDead: () => {}, onError: () => {}, onEmitted: () => void woken++ }
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'No such mailbox' }), { events })
  await carillon.settled(id, 'dead')
  await worker.stop()
  return woken
}

const called = async () =>
  (await carillon.pool.query("select * from outbox where source_kind = 'dead_letter' order by seq")).rows
const targets = async () => (await called()).map(row => row.target_id)
const letters = () => carillon.readAll('/v1/dead-letters')
const trigger = (filter?: LetterFilter) => addLetterTrigger(carillon.pool, carillon.tenantId, filter)

describe('a dead letter', () => {
  it('calls the handler: a dispatcher runs it, with all it needs to know', { tags: 'S003-19' }, async () => {
    const { id, script_id } = await trigger()
    const seen: OutboxRow[] = []
    const handler = aHandler(
      row => {
        seen.push(row)
        return { kind: 'done' }
      },
      { sourceKind: 'dead_letter' },
    )
    startDispatcher(carillon.pool, [
      handler,
      aHandler(() => ({ kind: 'retry', message: 'broken' }), { sourceKind: 'kv' }),
    ])
    const [trigger_id, failed_script, target_id] = [randomUUID(), randomUUID(), randomUUID()]
    const event = await put({
      max_attempts: 2,
      base_ms: 1,
      trigger_depth: 2,
      target_id,
      payload: '{"key":  "k", "old": 1.0}',
      context: { trigger_id, script_id: failed_script, origin: 'key abc' },
    })
    await waitFor(async () => seen.length === 1, { what: 'the handler' })
    const [letter] = await letters()
    expect(letter).toMatchObject({ original_event_id: event, trigger_id, script_id: failed_script })
    expect(seen).toMatchObject([
      {
        op: 'max_retries_exceeded',
        target_id: id,
        context: { dead_letter_id: letter.id, trigger_id: id, script_id, origin: 'key abc' },
        trigger_depth: 3,
        max_attempts: 3,
      },
    ])
    expect(JSON.parse(seen[0]!.payload)).toEqual({
      dead_letter: {
        id: letter.id,
        source_kind: 'outbox',
        source: 'kv',
        op: 'insert',
        notification_id: null,
        route_id: null,
        notification_type: '',
        channel: null,
        recipient_ref: '',
        original_event_id: event,
        target_id,
        trigger_id,
        script_id: failed_script,
        failure_reason: 'max_retries_exceeded',
        failure_classification: 'transient',
        failure_message: 'broken',
        recovery_hint: letter.recovery_hint,
        attempts: 2,
        max_attempts: 2,
        first_attempt_at: letter.first_attempt_at,
        last_attempt_at: letter.last_attempt_at,
        created_at: letter.created_at,
        event: { key: 'k', old: 1 },
      },
    })
    expect(seen[0]!.payload).toContain('{"key":  "k", "old": 1.0}')
  })

  it('of a route calls it too, from the record’s depth on, and the dispatcher is woken', {
    tags: 'S003-19',
  }, async () => {
    const { id } = await trigger({ source: 'route' })
    const woken = await deadRoute(4)
    const [row] = await called()
    expect(row).toMatchObject({ op: 'permanent_failure', target_id: id, trigger_depth: 5 })
    expect(JSON.parse(row.payload).dead_letter).toMatchObject({
      source_kind: 'route',
      source: 'route',
      notification_id: expect.any(String),
      channel: 'email',
      failure_message: 'No such mailbox',
      attempts: 1,
      trigger_id: null,
      event: { n: 1 },
    })
    expect(woken).toBe(1)
    await carillon.pool.query('delete from triggers')
    expect(await deadRoute(0)).toBe(0)
  })

  it('calls every enabled trigger that matches, of its own tenant only', { tags: 'S003-19' }, async () => {
    const [any, kv] = [await trigger(), await trigger({ source: 'kv' })]
    await trigger({ is_enabled: false })
    await trigger({ source: 'queue' })
    await addLetterTrigger(carillon.pool, (await carillon.createTenant('elsewhere')).id)
    await die({})
    expect((await targets()).toSorted()).toEqual([any.id, kv.id].toSorted())
  })

  it('the filters are source, trigger and script; what is left out means any', {
    tags: ['S003-6', 'S003-19'],
  }, async () => {
    const [trigger_id, script_id] = [randomUUID(), randomUUID()]
    const wanted = [
      await trigger({ trigger_id }),
      await trigger({ script_id }),
      await trigger({ source: 'kv', script_id }),
    ]
    await die({}, { context: { trigger_id: randomUUID(), script_id: randomUUID() } })
    expect(await called()).toEqual([])
    await die({ context: { trigger_id, script_id } })
    expect((await targets()).toSorted()).toEqual(wanted.map(({ id }) => id).toSorted())
  })

  it('and its calls are stored together, or neither is', { tags: 'S003-19' }, async () => {
    await trigger()
    await put()
    const [row] = await claim()
    const refused = transaction(carillon.pool, async tx => {
      await completeRows(tx, 'me', giveUp([row!]))
      expect((await tx.query("select from outbox where source_kind = 'dead_letter'")).rowCount).toBe(1)
      throw new Error('not now')
    })
    await expect(refused).rejects.toThrow('not now')
    expect([await letters(), await called()]).toEqual([[], []])
    expect((await carillon.pool.query('select from outbox')).rowCount).toBe(1)
  })

  it('without a matching trigger leaves nothing but itself', { tags: 'S003-7' }, async () => {
    await trigger({ source: 'queue' })
    await die({})
    expect([(await letters()).length, await called()]).toEqual([1, []])
  })

  it.each([
    ['is no JSON', 'plain text'],
    ['is nested too deeply to be read', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['is larger than 128 KiB', JSON.stringify('x'.repeat(131_071))],
  ])('has no event for its handler if the payload %s', { tags: 'S003-19' }, async (_what, payload) => {
    await trigger()
    await die({ payload })
    expect(JSON.parse((await called())[0].payload).dead_letter).toMatchObject({ source: 'kv', event: null })
  })
})

describe('what handles a dead letter', () => {
  it('leaves no letter, whatever its handler answers: the original letter says that it failed', {
    tags: 'S003-20',
  }, async () => {
    await trigger()
    await die({})
    const [letter] = await letters()
    await completeRows(carillon.pool, 'me', giveUp(await claim('dead_letter')))
    expect(await called()).toEqual([])
    expect(await letters()).toEqual([{ ...letter, resolution: 'handler_failed' }])
  })

  it('cannot have a letter: the database refuses it', { tags: 'S003-20' }, async () => {
    await die({})
    const update = carillon.pool.query("update dead_letters set source = 'dead_letter'")
    await expect(update).rejects.toMatchObject({ constraint: 'dead_letters_not_of_handlers' })
  })
})
