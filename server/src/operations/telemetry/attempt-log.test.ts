import { pino } from 'pino'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { logAttempt } from './attempt-log.ts'

const carillon = useCarillon()
let lines: Record<string, unknown>[]
const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })

beforeAll(() => carillon.putUser('ada', { email: 'private@example.com' }))
beforeEach(() => {
  lines = []
})

async function deliver(outcome: Outcome, intent: object): Promise<void> {
  const worker = carillon.deliver(() => outcome, {
    events: {
      onAttempt: (route, completion, completed) => logAttempt(log, route, completion, completed),
      onDead: () => {},
      onError: () => {},
    },
  })
  await carillon.settled(await carillon.send(intent), 'sent', 'dead')
  await expect.poll(() => lines.length).toBe(1)
  await worker.stop()
}

it('the log line of an attempt says what was tried and how it ended, with the request id', async () => {
  await deliver(
    { kind: 'sent' },
    { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'], request_id: 'req-1' },
  )
  expect(lines[0]).toMatchObject({
    level: 30,
    msg: 'attempt',
    tenant_id: carillon.tenantId,
    route_id: 'email:user:ada',
    notification_type: 'order_shipped',
    channel: 'email',
    attempt: 1,
    of: 7,
    outcome: 'sent',
    status: 'sent',
    provider: 'test',
    request_id: 'req-1',
  })
  expect(lines[0]).not.toHaveProperty('message')
})

it('the log line of an attempt is a warning when the route is given up', async () => {
  await deliver({ kind: 'permanent', message: 'refused' }, {})
  expect(lines[0]).toMatchObject({ level: 40, outcome: 'permanent', status: 'dead', message: 'refused' })
})

it.each([
  ['a user', { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }],
  ['an address', { audience: { kind: 'addresses', channel: 'email', addresses: ['private@example.com'] } }],
])(
  'the log line of an attempt holds neither the address nor the payload of a message to %s',
  async (_name, intent) => {
    await deliver({ kind: 'sent' }, { ...intent, payload: { title: 'confidential' } })
    expect(JSON.stringify(lines)).not.toMatch(/private@example\.com|confidential/)
  },
)
