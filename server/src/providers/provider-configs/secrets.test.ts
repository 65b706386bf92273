/** Secrets are checked when they are saved: one that can never work is refused then, and not with the first message. */
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { seal } from '../../platform/secrets/sealed-rows.ts'
import { useProcesses } from './environment.fixture.ts'

const carillon = useCarillon()
const processes = useProcesses(carillon)
const mail = { from: 'a@example.com' }
const create = (body: object) => carillon.request('POST', '/v1/providers', { body })
const pemOf = (type: 'rsa' | 'ec') =>
  (type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  ).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

const KINDS = [
  ['sendgrid', mail, {}, 'api_key'],
  ['resend', mail, {}, 'api_key'],
  ['postmark', mail, {}, 'server_token'],
  ['mailgun', { ...mail, domain: 'mg.example.com' }, {}, 'api_key'],
  ['mailgun', { ...mail, domain: 'mg.example.com' }, { api_key: 'k' }, 'signing_key'],
  ['ses', { ...mail, region: 'eu-central-1' }, { secret_access_key: 's' }, 'access_key_id'],
  ['ses', { ...mail, region: 'eu-central-1' }, { access_key_id: 'a' }, 'secret_access_key'],
  [
    'ses',
    { ...mail, region: 'eu-central-1' },
    { access_key_id: 'a', secret_access_key: 's' },
    'session_token',
  ],
  ['twilio', { account_sid: `AC${'0'.repeat(32)}`, from: '+15557122661' }, {}, 'auth_token'],
  ['vonage', { api_key: 'k', from: 'Acme' }, {}, 'api_secret'],
  ['bird', { from: 'Acme' }, {}, 'api_key'],
  ['slack', {}, {}, 'bot_token'],
  ['telegram', {}, {}, 'bot_token'],
  ['expo', {}, {}, 'access_token'],
] as const

describe.each(KINDS)('%s', (kind, config, secrets, name) => {
  it.each([
    ['with a letter that no header can carry', 'hush-ö€-123'],
    ['with a line break', 'hush-123\n'],
    ['with a zero-width space', 'hush-123\u200b'],
    ['that is empty', ''],
    ['of spaces alone', '   '],
  ])(`refuses a ${name} %s`, async (_title, value) => {
    const answer = await create({ name: 'refused', kind, config, secrets: { ...secrets, [name]: value } })
    const field = `secrets.${name}`
    expect(problemOf(answer)).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field }] })
    if (value.trim() !== '') expect(JSON.stringify(answer.body)).not.toContain(value.trim())
  })
})

it.each([
  ['an SMTP password of spaces', 'smtp', { password: '  ' }, 'secrets.password'],
  ['an SMTP user with a line break', 'smtp', { user: 'a\r\nb' }, 'secrets.user'],
  ['a DKIM key that is no PEM', 'smtp', { dkim_private_key: 'nonsense' }, 'secrets.dkim_private_key'],
  ['a DKIM key of another type', 'smtp', { dkim_private_key: pemOf('ec') }, 'secrets.dkim_private_key'],
  ['a cut-off APNs key', 'apns', { private_key: pemOf('ec').slice(0, 60) }, 'secrets.private_key'],
  ['a service account that is no JSON', 'fcm', { service_account: '{' }, 'secrets.service_account'],
  ['a service account without its key', 'fcm', { service_account: '{}' }, 'secrets.service_account'],
  ['a header of spaces', 'http', { headers: { 'x-key': ' ' } }, 'secrets.headers.x-key'],
  ['a header no request can carry', 'http', { headers: { 'x-key': 'a\nb' } }, 'secrets.headers.x-key'],
  ['a signing secret of spaces', 'http', { signing_secret: ' '.repeat(16) }, 'secrets.signing_secret'],
])('refuses %s', async (_title, kind, secrets, field) => {
  const config = {
    smtp: { host: 'mail.example.com', ...mail },
    apns: { team_id: 'A'.repeat(10), key_id: 'B'.repeat(10), topic: 'com.example.app' },
    fcm: {},
    http: { url: 'https://example.com' },
  }[kind]
  const answer = await create({
    name: 'refused',
    kind,
    config,
    secrets,
    ...(kind === 'http' && { channel: 'sms' }),
  })
  expect(problemOf(answer)).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field }] })
})

it('takes SMTP passwords with any letters, and a DKIM key', async () => {
  const secrets = { user: 'jürgen', password: 'pass wörd ', dkim_private_key: pemOf('rsa') }
  const config = { host: 'mail.example.com', ...mail }
  const { status, body } = await create({ name: 'accepted', kind: 'smtp', config, secrets })
  expect(status).toBe(201)
  await carillon.request('DELETE', `/v1/providers/${body.id}`)
})

it('a header of the settings that is no template is checked too', async () => {
  const withHeader = (value: string) =>
    create({
      name: 'headers',
      kind: 'http',
      channel: 'sms',
      config: { url: 'https://example.com', headers: { 'x-team': value } },
    })
  expect(problemOf(await withHeader('rötlich')).errors?.[0]?.field).toBe('config.headers.x-team')
  const { status, body } = await withHeader('{{ payload.team }}')
  expect(status).toBe(201)
  await carillon.request('DELETE', `/v1/providers/${body.id}`)
})

it('a change is checked like a new provider, and keeps the old secrets when it is refused', async () => {
  const config = { url: processes.receiver.url }
  const secrets = { headers: { authorization: 'Bearer good' } }
  const { body } = await create({ name: 'changing', kind: 'http', channel: 'email', config, secrets })
  const change = { secrets: { headers: { authorization: 'Bearer b€d' } } }
  const answer = await carillon.request('PATCH', `/v1/providers/${body.id}`, { body: change })
  expect(problemOf(answer).errors?.[0]?.field).toBe('secrets.headers.authorization')
  await processes.start({})
  await carillon.settled(await carillon.send(), 'sent')
  expect(processes.receiver.requests.at(-1)!.headers.authorization).toBe('Bearer good')
})

it('with a secret that was stored before it was checked, messages wait and the operator learns which', async () => {
  const config = { url: processes.receiver.url }
  const { body } = await create({ name: 'older', kind: 'http', channel: 'email', config })
  const row = { tenant_id: carillon.tenantId, id: body.id as string }
  const secrets = { headers: { authorization: 'Bearer b€d' } }
  await carillon.pool.query('update provider_configs set secrets = $2 where id = $1', [
    row.id,
    seal(carillon.providers.keyring, 'provider_configs', row, secrets),
  ])
  await processes.start({})
  const id = await carillon.send()
  expect((await processes.postponed(id, 'no_provider')).attempt_count).toBe(0)
  await expect
    .poll(() => processes.events('provider_missing'))
    .toMatchObject([{ description: expect.stringContaining('secrets.headers.authorization: Expected') }])
  const mended = { secrets: { headers: { authorization: 'Bearer good' } } }
  expect((await carillon.request('PATCH', `/v1/providers/${row.id}`, { body: mended })).status).toBe(200)
})
