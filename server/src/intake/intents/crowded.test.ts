import { describe, expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { transaction } from '../../platform/database/pool.ts'
import { createAcceptor } from './accept.ts'
import { checkIntent } from './intent.ts'

const carillon = useCarillon()

const intent = (idempotency_key: string, payload: object = AN_INTENT.payload) => ({
  ...AN_INTENT,
  producer: 'shop',
  idempotency_key,
  payload,
})
const post = (key: string) => carillon.request('POST', '/v1/intents', { body: intent(key) })

describe('an application that leaves its transaction open after notify()', () => {
  it('holds up the same key alone, which is told to come back', async () => {
    const { id, answers } = await transaction(carillon.pool, async application => {
      const { rows } = await application.query('select carillon.notify($1::jsonb) as id', [intent('order-1')])
      const sent = ['order-2', 'order-1', 'order-3', 'order-4'].map(post)
      return { id: rows[0].id, answers: await Promise.all(sent) }
    })
    expect(answers.map(({ status }) => status)).toEqual([202, 503, 202, 202])
    expect(answers[1]).toMatchObject({ body: { code: 'unavailable' }, headers: { 'retry-after': '1' } })
    expect((await post('order-1')).body).toEqual({
      notification_id: id,
      status: 'accepted',
      duplicate: true,
      warnings: [expect.objectContaining({ code: 'unknown_type' })],
    })
  })

  it('and a lock on the whole table is not waited for once per intent', async () => {
    const answers = await transaction(carillon.pool, async other => {
      await other.query('lock table routes in share mode')
      return Promise.all(Array.from({ length: 50 }, (_, n) => post(`many-${n}`)))
    })
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect((await post('many-1')).body).toMatchObject({ duplicate: false })
  })
})

describe('while the database stores nothing', () => {
  /** An acceptor whose statements never end, until they are released. */
  function stalled() {
    let release = () => {}
    const stuck = new Promise<void>(resolve => {
      release = resolve
    })
    const pool = { query: () => stuck.then(() => ({ rows: [] })) } as unknown as typeof carillon.pool
    return { acceptor: createAcceptor({ pool, onAccepted: () => {}, onBatch: () => {} }), release }
  }
  const origin = {
    tenant_id: '0b0e2a4e-0000-4000-8000-000000000000',
    source: 'http' as const,
    defaultProducer: 'shop',
    idempotencyKey: undefined,
    traceparent: '',
    requestId: '',
  }
  const checked = (n: number, payload: object) => {
    const payloadText = JSON.stringify(payload)
    const value = intent(`waiting-${n}`, payload)
    return checkIntent({ value, text: JSON.stringify(value), payloadText }, origin)
  }

  it.each([
    ['many small ones', 21_000, { body: 'x' }],
    ['some large ones', 1_000, { body: 'x'.repeat(50_000) }],
  ])('only so much waits for it in memory: %s', async (_what, count, payload) => {
    const { acceptor, release } = stalled()
    const answers: string[] = []
    const all = Array.from({ length: count }, (_, n) =>
      acceptor.accept(checked(n, payload)).catch(error => answers.push(error.code)),
    )
    await new Promise(setImmediate)
    expect(new Set(answers)).toEqual(new Set(['unavailable']))
    const waiting = count - answers.length
    expect(waiting).toBeGreaterThan(300)
    expect(waiting).toBeLessThanOrEqual(20_000)
    release()
    await Promise.all(all)
    // What is done makes room again.
    await expect(acceptor.accept(checked(0, payload))).rejects.not.toMatchObject({ code: 'unavailable' })
  })
})
