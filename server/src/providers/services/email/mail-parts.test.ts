import { describe, expect, it } from 'vitest'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { fromTag, mailHeaders, rfcMessageId, toTag } from './mail-parts.ts'
import { mailConfig } from './mail-settings.ts'
import { mailgun } from './mailgun.ts'
import { postmark } from './postmark.ts'
import { resend } from './resend.ts'
import { sendgrid } from './sendgrid.ts'
import { ses } from './ses.ts'

describe('the settings', () => {
  it.each(['bells@acme.example', 'Acme <bells@acme.example>', '"Acme, Inc." <bells@acme.example>'])(
    'accept the sender %s',
    from => {
      expect(mailConfig.safeParse({ from }).success).toBe(true)
    },
  )

  it.each([
    'Acme',
    '',
    'a@b.example, c@d.example',
    'Acme <a@b.example>, Eve <eve@x.example>',
    'Acme\r\nBcc: eve@x.example <a@b.example>',
    'team: a@b.example;',
  ])('refuse the sender "%s"', from => {
    expect(mailConfig.safeParse({ from }).error?.issues[0]?.message).toMatch(/^expected one address/)
  })

  it('refuse an invalid base URL', () => {
    expect(mailConfig.safeParse({ from: 'a@b.example', base_url: 'file:///etc/passwd' }).success).toBe(false)
  })
})

describe('the headers', () => {
  it('omit values for which a service would refuse the whole mail', () => {
    const message = aMessage({ notification_type: 'bezahlt ✓', request_id: 'a\r\nBcc: eve@x.example' })
    expect(mailHeaders(message)).toEqual({
      'X-Carillon-Notification': '0197f2a0-0000-7000-8000-000000000002',
      'Auto-Submitted': 'auto-generated',
    })
    expect(mailHeaders(aMessage({ request_id: '' }))).not.toHaveProperty('X-Request-Id')
  })

  it('offer one-click unsubscribe if there is a link, with both headers or none', { tags: 'S001-31' }, () => {
    expect(mailHeaders(aMessage({ unsubscribe_url: 'https://x.example/u/t' }))).toMatchObject({
      'List-Unsubscribe': '<https://x.example/u/t>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    const tooLong = mailHeaders(aMessage({ unsubscribe_url: `https://x.example/${'u'.repeat(900)}` }))
    for (const headers of [mailHeaders(aMessage()), tooLong])
      expect(Object.keys(headers).filter(name => name.startsWith('List'))).toEqual([])
  })

  it("have a message id at the sender's domain", () => {
    expect(rfcMessageId(aMessage(), 'Acme <bells@acme.example>')).toBe('<rec-2.route-3@acme.example>')
  })
})

it('an id can be read back from its tag', () => {
  const id = '0197f2a0-0000-7000-8000-000000000002.0123456789abcdef'
  expect(toTag(id)).toMatch(/^[A-Za-z0-9_-]{1,256}$/)
  expect(fromTag(toTag(id))).toBe(id)
})

const config = { from: 'bells@acme.example' }
describe.each([
  [sendgrid, config, { api_key: 'k' }],
  [ses, { ...config, region: 'eu-central-1' }, { access_key_id: 'k', secret_access_key: 's' }],
  [mailgun, { ...config, domain: 'acme.example' }, { api_key: 'k' }],
  [postmark, config, { server_token: 'k' }],
  [resend, config, { api_key: 'k' }],
])('$title', (kind, config, secrets) => {
  it.each([
    'ada@x.example, eve@x.example',
    'ada@x.example>\r\nBcc: eve@x.example',
    'Ada <ada@x.example>',
    '',
  ])('sends nothing to the address "%s"', async address => {
    let calls = 0
    const http = {
      send: async () => ({ status: 200, headers: {}, body: String(++calls) }),
      close: async () => {},
    }
    const settings = someSettings({
      config: kind.config.parse(config),
      secrets: kind.secrets.parse(secrets),
      http,
    })
    const outcome = await kind.create(settings).send(aMessage({ address }), new AbortController().signal)
    expect(outcome).toEqual({
      kind: 'permanent',
      message: 'The request cannot be made: the recipient is not one plain mail address',
    })
    expect(calls).toBe(0)
  })

  it('refuses unknown settings, and reports that it has no key to verify', async () => {
    expect(kind.config.safeParse({ ...config, form: 'x' }).success).toBe(false)
    expect(kind.secrets.safeParse({ ...secrets, apikey: 'x' }).success).toBe(false)
    const settings = someSettings({ config: kind.config.parse(config), secrets: kind.secrets.parse(secrets) })
    const request = { url: 'https://carillon.example/', headers: {}, body: Buffer.from('{}') }
    await expect(kind.callback!.read(request, settings)).rejects.toThrow(
      'is not set, so it cannot be verified',
    )
  })
})
