import { beforeAll, expect, it } from 'vitest'
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

it.each(Object.values({ ...OPEN, ...FINISHED }))(
  'a $status route is stored with what belongs to its status',
  { tags: 'S000-18' },
  async state => {
    expect((await insert(state)).rowCount).toBe(1)
  },
)

it.each(Object.values(FINISHED))(
  'a $status route with a next attempt is refused',
  { tags: 'S000-18' },
  async state => {
    await expect(insert({ ...state, next_attempt_at: 'now' })).rejects.toMatchObject(
      refused('routes_due_while_open'),
    )
  },
)

it.each(Object.values(OPEN))(
  'a $status route without a next attempt is refused',
  { tags: 'S000-18' },
  async state => {
    await expect(insert({ ...state, next_attempt_at: null })).rejects.toMatchObject(
      refused('routes_due_while_open'),
    )
  },
)

it.each(Object.values(FINISHED))(
  'a $status route without its time is refused',
  { tags: 'S000-18' },
  async state => {
    const time = `${state.status}_at`
    await expect(insert({ ...state, [time]: null })).rejects.toMatchObject(refused(`routes_${time}`))
  },
)

it.each(
  [...Object.values(OPEN), ...Object.values(FINISHED)].flatMap(state =>
    TIMES.filter(time => time !== `${state.status}_at`).map(time => ({ state, time })),
  ),
)('a $state.status route with $time is refused', { tags: 'S000-18' }, async ({ state, time }) => {
  await expect(insert({ ...state, [time]: 'now' })).rejects.toMatchObject(refused(`routes_${time}`))
})

it.each([
  ['a route with an unknown status', { status: 'published', next_attempt_at: null }, 'routes_status'],
  ['a skipped route without a reason', { ...FINISHED.skipped!, reason: '' }, 'routes_skip_has_reason'],
  [
    'a lease on a finished route',
    { ...FINISHED.sent!, lease_owner: 'w', lease_until: 'now' },
    'routes_lease_while_open',
  ],
  ['a lease without an end', { ...OPEN.pending!, lease_owner: 'w' }, 'routes_lease_whole'],
  ['an end without a lease', { ...OPEN.pending!, lease_until: 'now' }, 'routes_lease_whole'],
  ['a route without allowed attempts', { ...OPEN.pending!, max_attempts: '0' }, 'routes_max_attempts_check'],
  ['a route on an unknown channel', { ...OPEN.pending!, channel: 'fax' }, 'routes_channel_check'],
])('%s is refused', { tags: 'S000-18' }, async (_name, state, constraint) => {
  await expect(insert(state)).rejects.toMatchObject(refused(constraint))
})
