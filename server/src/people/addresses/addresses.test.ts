/** One address has one form, whichever way it is written and comes in; what is none is refused. */
import { domainToASCII } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const normal = async (channel: string, given: string) =>
  (await carillon.pool.query('select normal_address($1, $2) as address', [channel, given])).rows[0].address
const to = (channel: string, ...addresses: string[]) => ({ kind: 'addresses', channel, addresses })
const post = (audience: object) =>
  carillon.request('POST', '/v1/intents', { body: { ...AN_INTENT, audience } })
const notify = (audience: object) =>
  carillon.pool.query('select carillon.notify($1::jsonb) as id', [{ ...AN_INTENT, audience }])

const SPELLINGS: [string, string, string][] = [
  ['email', 'x@example.com', 'x@example.com'],
  ['email', 'x@example.com ', 'x@example.com'],
  ['email', ' <x@example.com>', 'x@example.com'],
  ['email', '< x@EXAMPLE.com >', 'x@example.com'],
  ['email', 'Ada.B+tag@Example.Com', 'Ada.B+tag@example.com'],
  ['email', 'x@localhost', 'x@localhost'],
  ['email', 'x@münchen.example', 'x@xn--mnchen-3ya.example'],
  ['email', 'x@MÜNCHEN.example', 'x@xn--mnchen-3ya.example'],
  ['email', 'x@mu\u0308nchen。example', 'x@xn--mnchen-3ya.example'],
  ['email', 'x@XN--MNCHEN-3YA.example', 'x@xn--mnchen-3ya.example'],
  ['email', 'ada.mu\u0308ller@example.com', 'ada.müller@example.com'],
  ['email', 'Ada.MÜLLER@example.com', 'ada.müller@example.com'],
  ['email', 'ΣΊΣΥΦΟΣ@example.com', 'σίσυφος@example.com'],
  ['sms', '+4915112345678', '+4915112345678'],
  ['sms', ' +49 (151) 123-456/78 ', '+4915112345678'],
  ['sms', '+49\u00a0151\u2011123.456.78', '+4915112345678'],
  ['sms', '＋４９15112345678', '+4915112345678'],
  ['sms', 'whatsapp:+49 151 12345678', 'whatsapp:+4915112345678'],
  ['chat', ' #general ', '#general'],
]
const NONE: [string, string][] = [
  ...[
    ...[
      'x@example.com>',
      '<x@example.com',
      '<<x@example.com>>',
      'Ada <x@example.com>',
      'x@example.com, y@example.com',
    ],
    ...[
      'x',
      '@example.com',
      'x@',
      'x@@example.com',
      'x y@example.com',
      'x@exam ple.com',
      'x@example.com.',
      'x@.com',
    ],
    ...[
      '"x"@example.com',
      'x(y)@example.com',
      'x..y@example.com',
      '.x@example.com',
      'x.@example.com',
      'x@-a.com',
    ],
    ...[
      'x@[127.0.0.1]',
      'mailto:x@example.com',
      'x@exa_mple.com',
      `${'x'.repeat(65)}@example.com`,
      'x@a..b',
      '<>',
    ],
    ...[
      'x\u200b@example.com',
      'x@exam\u00adple.com',
      'x@example.com\u00a0',
      `x@${'ü'.repeat(64)}.com`,
      'x@ü .com',
    ],
    ...[`x@${`${'a'.repeat(60)}.`.repeat(4)}com.example`],
  ].map((given): [string, string] => ['email', given]),
  ...[
    '4915112345678',
    '0151 12345678',
    '+0151123456',
    '+123456',
    '+1234567890123456',
    '+49 (0)151 12345678',
    '+49 ( 0 ) 151 12345678',
    '+49（0）151 12345678',
  ].map((given): [string, string] => ['sms', given]),
  ...['+49151x12345', 'tel:+4915112345678', 'ada@example.com', '+'].map((given): [string, string] => [
    'sms',
    given,
  ]),
  ['chat', '  '],
]

it.each(SPELLINGS)('the normal form on %s of %j is %s', async (channel, given, address) => {
  expect(await normal(channel, given)).toBe(address)
})

it.each(NONE)('on %s, %j has no normal form', async (channel, given) => {
  expect(await normal(channel, given)).toBeNull()
})

it('domains in other scripts have the ASCII form that browsers use', async () => {
  const domains = [
    'Bücher.example',
    'ドメイン名例.jp',
    '例え。テスト',
    'пример.испытание',
    'παράδειγμα.δοκιμή',
    'مثال.إختبار',
  ]
  domains.push(
    'faß.de',
    'ÉCOLE.fr',
    '中国.中国',
    'a\u0301b.example',
    '3年B組金八先生.jp',
    '안녕하세요세계.kr',
    'ＡＢＣ.example',
    '🦆.example',
  )
  for (const domain of domains)
    expect([domain, await normal('email', `x@${domain}`)]).toEqual([domain, `x@${domainToASCII(domain)}`])
})

describe('a suppressed address', () => {
  beforeAll(async () => {
    for (const [channel, address] of [
      ['email', '<X@example.com>'],
      ['email', 'x@münchen.example'],
      ['email', 'ada.müller@example.com'],
      ['email', 'σίσυφος@example.com'],
      ['email', 'ada.b+TAG@example.com'],
      ['email', 'x@localhost'],
      ['sms', '+49 151 12345678'],
      ['sms', 'whatsapp:+4915112345678'],
      ['chat', '#general'],
    ])
      await carillon.request('POST', '/v1/suppressions', { body: { channel, address } })
  })

  it('a suppressed address gets nothing, however it is written, over HTTP and by SQL', async () => {
    const worker = carillon.deliver(() => ({ kind: 'sent' }))
    for (const [channel, given, address] of SPELLINGS) {
      const ids = [(await post(to(channel, given))).body.notification_id]
      ids.push((await notify(to(channel, given))).rows[0].id)
      for (const id of ids) {
        const [route] = await carillon.settled(id, 'skipped')
        expect([given, route]).toMatchObject([
          given,
          { reason: 'suppressed', recipient_ref: `address:${address}`, resolved_address: address },
        ])
      }
    }
    await worker.stop()
  })

  it('a suppressed address is found and lifted by any of its spellings', async () => {
    const query = `channel=email&address=${encodeURIComponent(' <x@MÜNCHEN.example>')}`
    expect((await carillon.request('GET', `/v1/suppressions?${query}`)).body.data).toMatchObject([
      { address: 'x@xn--mnchen-3ya.example' },
    ])
    expect((await carillon.request('DELETE', `/v1/suppressions?${query}`)).status).toBe(204)
  })
})

it('an address is one recipient, however often and however it is written', async () => {
  const { body } = await post(to('sms', '+49 151 12345678', '+4915112345678', '+49-151-12345678'))
  expect(await carillon.routesOf(body.notification_id)).toHaveLength(1)
})

it.each(NONE)('an intent to an invalid address is refused with the field: %s %j', async (channel, given) => {
  const good = channel === 'email' ? 'ok@example.com' : '+4915112345678'
  const problem = problemOf(await post(to(channel, good, given)))
  expect(problem).toMatchObject({ status: 400, code: 'invalid_recipients' })
  expect(problem.errors).toEqual([
    { field: 'audience.addresses.1', message: expect.stringMatching(/^Expected an /) },
  ])
  await expect(notify(to(channel, good, given))).rejects.toMatchObject({
    code: '22023',
    column: 'audience.addresses.1',
  })
})

it.each<[string, 'PUT' | 'POST', string, object]>([
  ['email', 'PUT', '/v1/users/ada', { email: 'x@example.com>' }],
  ['phone', 'PUT', '/v1/users/ada', { phone: '0151 12345678' }],
  [
    'admin_emails.1',
    'PUT',
    '/v1/notification-types/t',
    { channels: ['email'], admin_emails: ['a@b.example', 'c'] },
  ],
  ['address', 'POST', '/v1/suppressions', { channel: 'sms', address: 'ada@example.com' }],
  [
    'intent.audience.addresses.0',
    'POST',
    '/v1/schedules',
    { name: 'n', cron: '@daily', intent: { ...AN_INTENT, audience: to('email', 'x') } },
  ],
])('an invalid address in the field %s of %s %s is refused', async (field, method, path, body) => {
  const problem = problemOf(await carillon.request(method, path, { body }))
  expect([problem.status, problem.errors?.[0]?.field]).toEqual([400, field])
})

it('users and types keep the normal form of an address, and users are found by any other', async () => {
  const user = { email: ' <Ada@MÜNCHEN.example>', phone: '+49 (151) 2345 6789' }
  const saved = { email: 'Ada@xn--mnchen-3ya.example', phone: '+4915123456789' }
  expect((await carillon.request('PUT', '/v1/users/idn', { body: user })).body).toMatchObject(saved)
  const found = await carillon.request('GET', `/v1/users?email=${encodeURIComponent('ada@münchen.example')}`)
  expect(found.body.data).toMatchObject([saved])
  const type = { channels: ['email'], admin_emails: ['<root@EXAMPLE.com>'] }
  const { body } = await carillon.request('PUT', '/v1/notification-types/admin', { body: type })
  expect(body.admin_emails).toEqual(['root@example.com'])
})
