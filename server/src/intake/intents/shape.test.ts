/** An intent means the same over HTTP and by SQL: one table of cases runs through both. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { OPTION_CASES } from './option-cases.fixture.ts'
import { SHAPE_CASES, type Verdict } from './shape-cases.fixture.ts'

const carillon = useCarillon()
beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  // Without a key every intent is a new one, so that each case is stored.
  await carillon.request('PATCH', '/v1/tenant', { body: { computed_key_window_seconds: 0 } })
})

const STORED = `notification_type, audience_kind, recipients, topic, channels, payload_json::jsonb as payload,
  request_fingerprint, send_at, send_at_local, expires_at, occurred_at, reason, template, options, thread_kind,
  thread_id`

interface Answer {
  verdict: Verdict
  stored?: object
}

async function byHttp(intent: string): Promise<Answer> {
  const { status, body } = await carillon.request('POST', '/v1/intents', { rawBody: intent })
  if (status === 200 || status === 202) return accepted(body.notification_id)
  return { verdict: { code: body.code, field: body.errors?.[0]?.field } }
}

async function bySql(intent: string): Promise<Answer> {
  try {
    const { rows } = await carillon.pool.query('select carillon.notify($1::jsonb) as id', [intent])
    return accepted(rows[0].id)
  } catch (error) {
    const { code, message, column } = error as { code: string; message: string; column: string }
    expect([code, message]).toEqual(['22023', expect.stringMatching(/^carillon\.notify: \w+: ./)])
    return { verdict: { code: message.split(': ')[1]!, field: column } }
  }
}

async function accepted(id: string): Promise<Answer> {
  const { rows } = await carillon.pool.query(`select ${STORED} from records where notification_id = $1`, [id])
  return { verdict: 'accepted', stored: rows[0] }
}

describe('the shape of an intent', () => {
  it.each(SHAPE_CASES)('%s', async (_name, intent, verdict) => {
    const http = await byHttp(intent)
    const sql = await bySql(intent)
    expect({ http: http.verdict, sql: sql.verdict }).toEqual({ http: verdict, sql: verdict })
    expect(sql.stored).toEqual(http.stored)
  })

  it.each(OPTION_CASES)('of its options: %s', async (_name, intent, verdict) => {
    const http = await byHttp(intent)
    const sql = await bySql(intent)
    expect({ http: http.verdict, sql: sql.verdict }).toEqual({ http: verdict, sql: verdict })
    expect(sql.stored).toEqual(http.stored)
  })

  it.each([
    ['the escape of NUL', '{"text":"\\u0000"}'],
    ['a lone surrogate', '{"text":"\\ud83d"}'],
    ['a number that the database cannot hold', '{"text":1e200000}'],
  ])('%s never reaches notify(): PostgreSQL’s jsonb refuses it, as HTTP does', async (_name, payload) => {
    const intent = `{"notification_type":"t","audience":{"kind":"tenant"},"payload":${payload}}`
    expect((await carillon.request('POST', '/v1/intents', { rawBody: intent })).status).toBe(400)
    const call = carillon.pool.query('select carillon.notify($1::jsonb)', [intent])
    await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/^22/) })
  })
})
