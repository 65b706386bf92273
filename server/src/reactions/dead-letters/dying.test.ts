import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../../content/messages/message.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
let worker: Service | undefined

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  const hasty = { max_attempts: { email: 3, push: 2 }, retry_base_ms: 1, retry_cap_ms: 1 }
  await carillon.putType('hasty', { channels: ['email', 'push'], ...hasty })
})
afterEach(async () => {
  await worker?.stop()
})

async function sendAndSettle(answer: (message: Message) => Outcome, intent: object = {}): Promise<string> {
  worker = carillon.deliver(answer)
  const audience = { kind: 'users', user_ids: ['ada'] }
  const id = await carillon.send({ notification_type: 'hasty', audience, channels: ['email'], ...intent })
  await carillon.settled(id, 'dead', 'sent')
  return id
}

const lettersOf = async (id: string) =>
  (await carillon.readAll('/v1/dead-letters')).filter(letter => letter.notification_id === id)
const detail = async (id: string) => {
  const [letter] = await lettersOf(id)
  return (await carillon.request('GET', `/v1/dead-letters/${letter.id}`)).body
}

describe('a route that cannot be delivered', () => {
  it('becomes dead and leaves one letter with everything an operator needs', {
    tags: 'S000-24',
  }, async () => {
    const id = await sendAndSettle(() => ({ kind: 'retry', message: 'Connection refused' }))
    const letters = await lettersOf(id)
    expect(letters).toHaveLength(1)
    expect(letters[0]).toMatchObject({
      source_kind: 'route',
      notification_id: id,
      route_id: 'email:user:ada',
      notification_type: 'hasty',
      channel: 'email',
      recipient_ref: 'user:ada',
      final_attempt_count: 3,
      max_attempts: 3,
      failure_reason: 'max_retries_exceeded',
      failure_classification: 'transient',
      failure_message: 'Connection refused',
      resolved_at: null,
      resolution: null,
      resolved_by: null,
    })
    const [route] = await carillon.routesOf(id)
    expect(route).toMatchObject({
      status: 'dead',
      attempt_count: 3,
      next_attempt_at: null,
      finished_at: letters[0].created_at,
    })
  })

  it('becomes dead and leaves its letter in one transaction, or does neither', {
    tags: 'S000-24',
  }, async () => {
    await carillon.pool.query(
      `alter table dead_letters add constraint refuse_letter check (notification_type <> 'refused_letter') not valid`,
    )
    const errors: unknown[] = []
    const events = {
      onAttempt: () => {},
      onDead: () => {},
      onError: (error: unknown) => void errors.push(error),
    }
    worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }), { events, leaseSeconds: 0.3 })
    const id = await carillon.send({ notification_type: 'refused_letter' })
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    expect((await carillon.routesOf(id))[0]!.status).toBe('pending')
    await carillon.pool.query('alter table dead_letters drop constraint refuse_letter')
    await carillon.settled(id, 'dead')
    expect(await lettersOf(id)).toHaveLength(1)
  })

  it('has at most one open letter: the database refuses a second', { tags: 'S000-24' }, async () => {
    const id = await sendAndSettle(() => ({ kind: 'permanent', message: 'no' }))
    const copy = `insert into dead_letters select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid()))).*
      from dead_letters d where notification_id = $1`
    await expect(carillon.pool.query(copy, [id])).rejects.toMatchObject({
      constraint: 'dead_letters_one_open',
    })
  })

  it.each([
    ['retry', 'max_retries_exceeded', 'transient', /reachable and healthy/],
    ['rate_limited', 'provider_rate_limit_exceeded', 'rate_limited', /throttling/],
    ['config', 'provider_misconfigured', 'config', /credentials/],
    ['permanent', 'permanent_failure', 'permanent', /Check the address/],
    ['uncertain', 'max_retries_exceeded', 'uncertain', /may have arrived/],
  ] as const)(
    'after %s has the reason %s and a hint',
    { tags: ['S002-10', 'S000-25'] },
    async (kind, reason, classification, hint) => {
      const letter = await detail(await sendAndSettle(() => ({ kind, message: 'x' })))
      expect(letter).toMatchObject({ failure_reason: reason, failure_classification: classification })
      expect(letter.recovery_hint).toMatch(hint)
      expect(letter.recovery_hint.length).toBeLessThan(200)
      expect(letter.attempts).toHaveLength(kind === 'permanent' ? 1 : 3)
    },
  )

  it('the hint may be empty', { tags: 'S000-25' }, async () => {
    const id = await sendAndSettle(() => ({ kind: 'permanent', message: 'x' }))
    await carillon.pool.query("update dead_letters set recovery_hint = '' where notification_id = $1", [id])
    expect((await detail(id)).recovery_hint).toBe('')
  })

  it('keeps the full retry history: number, time and error of every attempt', {
    tags: 'S002-10',
  }, async () => {
    let n = 0
    const letter = await detail(
      await sendAndSettle(() => ({ kind: 'retry', message: `error ${++n}` }), { payload: { deep: [1] } }),
    )
    expect(letter.payload_json).toBe('{"deep":[1]}')
    expect(letter.attempts).toMatchObject([
      { attempt_no: 1, outcome: 'retry', message: 'error 1', next_attempt_at: expect.any(String) },
      { attempt_no: 2, outcome: 'retry', message: 'error 2', next_attempt_at: expect.any(String) },
      { attempt_no: 3, outcome: 'retry', message: 'error 3', next_attempt_at: null },
    ])
    const times = letter.attempts.map((attempt: { started_at: string }) => attempt.started_at)
    expect(times).toEqual([...times].sort())
  })

  it('does not affect other channels of the notification', { tags: 'S000-21' }, async () => {
    const answer = (message: Message): Outcome =>
      message.channel === 'push' ? { kind: 'retry', message: 'gone' } : { kind: 'sent' }
    const id = await sendAndSettle(answer, { channels: ['email', 'push'] })
    const routes = await carillon.routesOf(id)
    expect(routes.map(route => [route.channel, route.status, route.attempt_count])).toEqual([
      ['email', 'sent', 1],
      ['push', 'dead', 2],
    ])
    expect((await lettersOf(id)).map(letter => letter.channel)).toEqual(['push'])
  })
})
