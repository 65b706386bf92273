/** Calls about notifications: sending, calling back, sending again. */
import { raiseSystemEvent } from '../../src/oversight/system-events/system-events.ts'
import { AN_INTENT, type TestCarillon } from '../carillon.ts'
import { addStream } from '../streams.ts'
import { type Calls, create } from './call.ts'

const SCHEDULE = {
  name: 'weekly',
  cron: '0 9 * * 1',
  intent: { notification_type: 't', audience: { kind: 'users', user_ids: ['ada'] }, payload: {} },
}

export function recordCalls(carillon: TestCarillon): Calls {
  const aSchedule = () => create(carillon, '/v1/schedules', SCHEDULE)

  async function aDeadLetter(): Promise<string> {
    const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
    const record = await carillon.send()
    await carillon.settled(record, 'dead')
    await worker.stop()
    const { rows } = await carillon.pool.query('select id from dead_letters where notification_id = $1', [
      record,
    ])
    return rows[0].id
  }

  return {
    'POST /v1/intents': () => ({ path: '/v1/intents', options: { body: AN_INTENT } }),
    'POST /v1/intents/batch': () => ({
      path: '/v1/intents/batch',
      options: { body: { intents: [AN_INTENT, {}] } },
    }),
    'POST /v1/intents/simulate': () => ({ path: '/v1/intents/simulate', options: { body: AN_INTENT } }),
    'POST /v1/records/{id}/cancel': async () => {
      const id = await carillon.send({ send_at: '2040-01-01T00:00:00Z' })
      return { path: `/v1/records/${id}/cancel`, row: () => ['cancel', 'record', id] }
    },
    'POST /v1/dead-letters/{id}/replay': async () => {
      const id = await aDeadLetter()
      return { path: `/v1/dead-letters/${id}/replay`, row: () => ['replay', 'dead_letter', id] }
    },
    'POST /v1/dead-letters/{id}/resolve': async () => {
      const id = await aDeadLetter()
      return { path: `/v1/dead-letters/${id}/resolve`, row: () => ['resolve', 'dead_letter', id] }
    },
    'POST /v1/dead-letters/replay': async () => {
      await aDeadLetter()
      return {
        path: '/v1/dead-letters/replay',
        options: { body: { filter: { channel: 'email' } } },
        row: () => ['replay', 'dead_letter', null],
      }
    },
    'POST /v1/dead-letters/resolve': async () => {
      await aDeadLetter()
      return {
        path: '/v1/dead-letters/resolve',
        options: { body: { filter: { channel: 'email' } } },
        row: () => ['resolve', 'dead_letter', null],
      }
    },
    'PATCH /v1/streams/{name}': async () => {
      await addStream(carillon.pool, carillon.tenantId, 'paused')
      const options = { body: { is_paused: true } }
      return { path: '/v1/streams/paused', options, row: () => ['update', 'stream', 'paused'] }
    },
    'DELETE /v1/streams/{name}': async () => {
      await addStream(carillon.pool, carillon.tenantId, 'forgotten')
      return { path: '/v1/streams/forgotten', row: () => ['delete', 'stream', 'forgotten'] }
    },
    'POST /v1/schedules': () => ({
      path: '/v1/schedules',
      options: { body: SCHEDULE },
      row: body => ['create', 'schedule', body.id],
    }),
    'PATCH /v1/schedules/{id}': async () => {
      const id = await aSchedule()
      const options = { body: { is_active: false } }
      return { path: `/v1/schedules/${id}`, options, row: () => ['update', 'schedule', id] }
    },
    'DELETE /v1/schedules/{id}': async () => {
      const id = await aSchedule()
      return { path: `/v1/schedules/${id}`, row: () => ['delete', 'schedule', id] }
    },
    'POST /v1/system-events': async () => {
      const options = { body: { event_type: 'quota', severity: 'low', description: 'Nearly used up.' } }
      return { path: '/v1/system-events', options, row: () => ['raise', 'system_event', 'quota/'] }
    },
    'POST /v1/system-events/{id}/resolve': async () => {
      const { id } = await raiseSystemEvent(carillon.pool, {
        tenant_id: carillon.tenantId,
        event_type: 'e',
        severity: 'low',
        description: '',
      })
      return { path: `/v1/system-events/${id}/resolve`, row: () => ['resolve', 'system_event', String(id)] }
    },
  }
}
