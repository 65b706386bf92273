import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
let record: string

beforeAll(async () => {
  record = await carillon.send({ send_at: '2031-01-01T00:00:00Z' })
})

interface State {
  status: string
  [column: string]: string | null
}

const OPEN: Record<string, State> = {
  pending: { status: 'pending', next_attempt_at: 'now' },
  retrying: { status: 'retrying', next_attempt_at: 'now' },
}
const FINISHED: Record<string, State> = {
  sent: { status: 'sent', sent_at: 'now' },
  dead: { status: 'dead', dead_at: 'now' },
  skipped: { status: 'skipped', skipped_at: 'now', reason: 'no_address' },
  cancelled: { status: 'cancelled', cancelled_at: 'now' },
  expired: { status: 'expired', expired_at: 'now' },
}
const TIMES = ['sent_at', 'dead_at', 'skipped_at', 'cancelled_at', 'expired_at']

let n = 0
function insert(state: State) {
  const row = {
    tenant_id: carillon.tenantId,
    notification_id: record,
    route_id: `route-${++n}`,
    channel: 'push',
    recipient_ref: '',
    max_attempts: '1',
    created_at: 'now',
    updated_at: 'now',
    ...state,
  }
  const places = Object.keys(row).map((_, i) => `$${i + 1}`)
  return carillon.pool.query(
    `insert into routes (${Object.keys(row)}) values (${places})`,
    Object.values(row),
  )
}

const refused = (constraint: string) => ({ code: '23514', constraint })

describe('the columns of a route agree with its status', () => {
  it.each(Object.values({ ...OPEN, ...FINISHED }))(
    'S000-18 $status is stored with what belongs to it',
    async state => {
      expect((await insert(state)).rowCount).toBe(1)
    },
  )

  it.each(Object.values(FINISHED))('S000-18 $status with a next attempt is refused', async state => {
    await expect(insert({ ...state, next_attempt_at: 'now' })).rejects.toMatchObject(
      refused('routes_due_while_open'),
    )
  })

  it.each(Object.values(OPEN))('S000-18 $status without a next attempt is refused', async state => {
    await expect(insert({ ...state, next_attempt_at: null })).rejects.toMatchObject(
      refused('routes_due_while_open'),
    )
  })

  it.each(Object.values(FINISHED))('S000-18 $status without its time is refused', async state => {
    const time = `${state.status}_at`
    await expect(insert({ ...state, [time]: null })).rejects.toMatchObject(refused(`routes_${time}`))
  })

  it.each(
    [...Object.values(OPEN), ...Object.values(FINISHED)].flatMap(state =>
      TIMES.filter(time => time !== `${state.status}_at`).map(time => ({ state, time })),
    ),
  )('S000-18 $state.status with $time is refused', async ({ state, time }) => {
    await expect(insert({ ...state, [time]: 'now' })).rejects.toMatchObject(refused(`routes_${time}`))
  })

  it.each([
    ['an unknown status', { status: 'published', next_attempt_at: null }, 'routes_status'],
    ['skipped without a reason', { ...FINISHED.skipped!, reason: '' }, 'routes_skip_has_reason'],
    [
      'a lease on a finished route',
      { ...FINISHED.sent!, lease_owner: 'w', lease_until: 'now' },
      'routes_lease_while_open',
    ],
    ['a lease without an end', { ...OPEN.pending!, lease_owner: 'w' }, 'routes_lease_whole'],
    ['the end of no lease', { ...OPEN.pending!, lease_until: 'now' }, 'routes_lease_whole'],
    ['no attempts allowed', { ...OPEN.pending!, max_attempts: '0' }, 'routes_max_attempts_check'],
    ['an unknown channel', { ...OPEN.pending!, channel: 'fax' }, 'routes_channel_check'],
  ])('S000-18 %s is refused', async (_name, state, constraint) => {
    await expect(insert(state)).rejects.toMatchObject(refused(constraint))
  })
})

describe('other rows', () => {
  it.each([
    ['a topic on another audience', `update records set topic = 'x'`, 'records_topic_for_topics'],
    ['an unknown audience', `update records set audience_kind = 'all'`, 'records_audience_kind_check'],
    [
      'a user’s address of one character',
      `insert into users (tenant_id, id, email) values ($1, 'x', 'x')`,
      'users_email_check',
    ],
    ['an empty user id', `insert into users (tenant_id, id) values ($1, '')`, 'users_id_check'],
    [
      'a type without channels',
      `insert into notification_types (tenant_id, name, channels) values ($1, 'x', '{}')`,
      'notification_types_channels_check',
    ],
    [
      'an unknown severity',
      `insert into admin_system_events (tenant_id, event_type, severity, description) values ($1, 'x', 'grave', '')`,
      'admin_system_events_severity_check',
    ],
    [
      'a half resolved event',
      `insert into admin_system_events (tenant_id, event_type, severity, description, is_resolved) values ($1, 'x', 'low', '', true)`,
      'admin_system_events_resolved_whole',
    ],
    [
      'a key that is no SHA-256',
      `insert into api_keys (id, tenant_id, name, key_hash, hint) values (gen_random_uuid(), $1, 'x', 'plain', '')`,
      'api_keys_key_hash_check',
    ],
    [
      'a watch of no level',
      `insert into watches (tenant_id, topic, user_id, level) values ($1, 't', 'u', 'much')`,
      'watches_level_check',
    ],
  ])('S000-18 %s is refused', async (_name, sql, constraint) => {
    const values = sql.includes('$1') ? [carillon.tenantId] : []
    await expect(carillon.pool.query(sql, values)).rejects.toMatchObject(refused(constraint))
  })
})
