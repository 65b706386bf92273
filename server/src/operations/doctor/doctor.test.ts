import { createServer } from 'node:net'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { create } from '../../../test/calls/call.ts'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { createAddressGuard } from '../../platform/outgoing/address-guard.ts'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { environmentAddresses } from '../../providers/provider-configs/reachability.ts'
import { clock, release } from './database-checks.ts'
import { examine } from './doctor.ts'
import { disk, masterKey, redis } from './machine-checks.ts'
import { type Check, fine, type Patient } from './patient.ts'
import { invariants, providers, queues, workers } from './work-checks.ts'

const carillon = useCarillon()
const patient = (more: Partial<Patient> = {}): Patient => ({
  pool: carillon.pool,
  keyring: carillon.providers.keyring,
  guard: createAddressGuard(),
  dataDir: '.',
  isEmbedded: true,
  redisUrl: '',
  environment: [],
  now: Date.now,
  ...more,
})
const look = async (check: Check, more: Partial<Patient> = {}) =>
  (await examine(patient(more), [check])).findings
const SMTP = {
  name: 'mail',
  kind: 'smtp',
  channel: 'email',
  config: { host: '127.0.0.1', port: 1, from: 'a@example.com' },
  secrets: {},
}

afterEach(async () => {
  for (const table of ['provider_configs', 'invariant_violations', 'invariant_walks', 'records'])
    await carillon.pool.query(`delete from ${table}`)
})

it('the doctor looks at everything and gives advice where all is not well', async () => {
  const { status, body } = await carillon.request('GET', '/v1/doctor')
  expect(status).toBe(200)
  const checks = body.findings.map((finding: { check: string }) => finding.check)
  expect([...new Set(checks)]).toEqual([
    ...[
      'release',
      'server',
      'connections',
      'transactions',
      'vacuum',
      'clock',
      'time zones',
      'disk',
      'master key',
    ],
    ...['redis', 'queues', 'workers', 'providers', 'invariants'],
  ])
  for (const { status, advice } of body.findings) expect(status === 'ok').toBe(advice === null)
})

it('the doctor is for operators of the instance', async () => {
  const { key } = await carillon.createTenant('other')
  expect(problemOf(await carillon.request('GET', '/v1/doctor', { key })).code).toBe('forbidden')
})

it('the doctor says what it could not look at, and goes on', async () => {
  const broken: Check = { name: 'broken', look: () => Promise.reject(new Error('no such thing')) }
  const hanging: Check = { name: 'hanging', look: () => new Promise(() => {}) }
  const last: Check = { name: 'last', look: async () => fine('Here.') }
  const { status, findings } = await examine(patient(), [broken, hanging, last], 50)
  expect(findings.map(({ check, status }) => [check, status])).toEqual([
    ['broken', 'warn'],
    ['hanging', 'warn'],
    ['last', 'ok'],
  ])
  expect([status, findings[0]!.summary]).toEqual(['warn', 'This could not be looked at: no such thing'])
})

it.each([
  ['a clock that is an hour off', clock, { now: () => Date.now() + 3_600_000 }, 'bad', /60 min apart/],
  ['clocks that agree', clock, {}, 'ok', /agree/],
  ['a key that opens nothing', masterKey, { keyring: undefined }, 'bad', /no master key/],
  ['a Redis that is not there', redis, { redisUrl: 'redis://127.0.0.1:1' }, 'warn', /does not answer/],
  ['a data folder with room', disk, {}, 'ok', /free/],
  ['the release that this version brought', release, {}, 'ok', /release \d+, as this version does/],
] as const)('the doctor sees %s', async (_what, check, more, status, summary) => {
  expect(await look(check, more)).toEqual([
    expect.objectContaining({ status, summary: expect.stringMatching(summary) }),
  ])
})

it('the doctor sees that the secrets were encrypted with another key', async () => {
  await create(carillon, '/v1/providers', SMTP)
  const [found] = await look(masterKey, { keyring: createKeyring([newMasterKey()]) })
  expect(found).toMatchObject({ status: 'bad', summary: expect.stringContaining('another master key') })
})

it('the doctor connects to providers without sending, and names those that cannot be reached', async () => {
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.on('data', () => expect.unreachable('nothing is sent'))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  await create(carillon, '/v1/providers', { ...SMTP, config: { ...SMTP.config, port } })
  expect(await look(providers)).toMatchObject([{ status: 'ok', summary: 'The provider can be reached.' }])
  expect(connections).toBe(1)
  await create(carillon, '/v1/providers', { ...SMTP, name: 'gone' })
  const [found] = await look(providers)
  expect(found).toMatchObject({
    status: 'bad',
    summary: expect.stringMatching(/^gone .*127\.0\.0\.1:1 cannot/),
  })
})

it('the doctor never connects where the address guard forbids it, and says what the breaker knows', async () => {
  const id = await create(carillon, '/v1/providers', {
    ...{ name: 'hook', kind: 'http', channel: 'sms', secrets: {} },
    config: { url: 'https://api.example.com/send' },
  })
  await carillon.pool.query(
    `update provider_configs set config = jsonb_set(config, '{url}', '"http://127.0.0.1:1/send"')`,
  )
  await carillon.pool.query(
    `insert into provider_health (provider_id, state, retry_at, last_error) values ($1, 'open', now(), 'HTTP 503')`,
    [id],
  )
  const [found] = await look(providers)
  expect(found!.summary).toMatch(
    /breaker is open: HTTP 503; 127\.0\.0\.1:1 .*does not lead to a public address/,
  )
  expect(await look(providers, { guard: createAddressGuard(['127.0.0.0/8']) })).toMatchObject([
    { summary: expect.stringContaining('ECONNREFUSED') },
  ])
})

it('the doctor looks at providers of the environment before anything was sent through them', async () => {
  const environment = [{ name: 'smtp', channel: 'email', host: '127.0.0.1', port: 1 }]
  expect(await look(providers, { environment })).toMatchObject([
    { status: 'bad', summary: expect.stringMatching(/^smtp \(email\): 127\.0\.0\.1:1 cannot be reached/) },
  ])
})

it('the doctor knows where the providers of the environment send to', () => {
  const config = { CARILLON_PROVIDERS: {}, CARILLON_SMTP_URL: 'smtps://mail.example.com' }
  expect(environmentAddresses(config as never)).toEqual([
    { name: 'smtp', channel: 'email', host: 'mail.example.com', port: 465 },
  ])
})

it('the doctor sees messages that wait, and work that no worker takes over', async () => {
  await carillon.send()
  await carillon.pool.query(
    `update routes set next_attempt_at = now() - interval '3 hours', lease_owner = 'box:1:a',
         lease_until = now() - interval '1 hour'`,
  )
  expect((await look(queues))[0]).toMatchObject({ status: 'bad', summary: expect.stringContaining('3 h') })
  expect(await look(workers)).toMatchObject([
    { status: 'ok' },
    {
      status: 'warn',
      summary: 'box:1:a left 1 pieces of work 60 min ago, and nobody has taken them over.',
    },
  ])
})

it('the doctor tells of broken invariants and what to do', async () => {
  expect(await look(invariants)).toMatchObject([
    { status: 'warn', summary: 'The reconciler has not yet looked through every table.' },
  ])
  await carillon.pool.query(
    `insert into invariant_violations (tenant_id, invariant, item, walk, key, since, confirmed_at)
       values ($1, 'route_has_record', 'r1', 'routes', '{}', now(), now())`,
    [carillon.tenantId],
  )
  await carillon.pool.query(`insert into invariant_walks (walk, finished_at) values ('routes', now())`)
  expect(await look(invariants)).toMatchObject([
    {
      status: 'bad',
      summary: expect.stringMatching(/^Every route belongs to a record\. Not so for 1 .*: r1\.$/),
      advice: expect.stringContaining('Delete the route'),
    },
  ])
  await carillon.pool.query('delete from invariant_violations')
  expect(await look(invariants)).toMatchObject([{ status: 'ok' }])
})
