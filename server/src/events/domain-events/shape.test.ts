/** An event means the same over HTTP and by SQL: one table of cases runs through both. */
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { SHAPE_CASES, type Verdict } from './shape-cases.fixture.ts'

const carillon = useCarillon()

const STORED = `kind, actor_id, topic, thread_kind, thread_id, thread_title, thread_url, thread_author_id, source_kind,
  source_id, is_public, relations, payload_json::jsonb as payload, request_fingerprint`

interface Answer {
  verdict: Verdict
  stored?: object
}

async function byHttp(event: string): Promise<Answer> {
  const { status, body } = await carillon.request('POST', '/v1/events', { rawBody: event })
  if (status === 202) return accepted(body.event_id)
  return { verdict: { code: body.code, field: body.errors?.[0]?.field } }
}

async function bySql(event: string): Promise<Answer> {
  try {
    const { rows } = await carillon.pool.query('select carillon.emit_event($1::jsonb) as id', [event])
    return accepted(rows[0].id)
  } catch (error) {
    const { code, message, column } = error as { code: string; message: string; column: string }
    expect([code, message]).toEqual(['22023', expect.stringMatching(/^carillon\.emit_event: \w+: ./)])
    return { verdict: { code: message.split(': ')[1]!, field: column } }
  }
}

async function accepted(id: string): Promise<Answer> {
  const { rows } = await carillon.pool.query(`select ${STORED} from domain_events where event_id = $1`, [id])
  return { verdict: 'accepted', stored: rows[0] }
}

it.each(SHAPE_CASES)(
  'an event means the same over HTTP and by SQL: %s',
  { tags: 'S001-15' },
  async (_name, event, verdict) => {
    const http = await byHttp(event)
    const sql = await bySql(event)
    expect({ http: http.verdict, sql: sql.verdict }).toEqual({ http: verdict, sql: verdict })
    expect(sql.stored).toEqual(http.stored)
  },
)

it('an event by SQL may also name its tenant and its trace', async () => {
  await carillon.createTenant('other')
  const trace = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
  const emit = (event: object) =>
    carillon.pool.query('select emit_event($1::jsonb) as id', [JSON.stringify({ kind: 'x', ...event })])
  const { rows } = await emit({ tenant: 'other', traceparent: trace, producer: 'shop' })
  const stored = 'select traceparent, producer from domain_events where event_id = $1'
  expect((await carillon.pool.query(stored, [rows[0].id])).rows).toEqual([
    { traceparent: trace, producer: 'shop' },
  ])
  await expect(emit({ tenant: 'nobody' })).rejects.toMatchObject({ column: 'tenant' })
})
