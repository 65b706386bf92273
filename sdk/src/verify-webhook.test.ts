import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { verifyWebhook, type WebhookVerificationError } from './verify-webhook.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OTHER = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='
const BODY = '{"id":"e1","type":"notification.sent","data":{"text":"Grüße 🔔"}}'
const NOW = 1_700_000_000

function sign(secret: string, body = BODY, id = 'e1', timestamp = NOW): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
const headers = (more: Record<string, string | string[] | undefined> = {}) => ({
  'webhook-id': 'e1',
  'webhook-timestamp': String(NOW),
  'webhook-signature': sign(SECRET),
  ...more,
})
const at = (seconds: number) => ({ now: () => seconds * 1000 })
const verify = (given = headers(), body: string | Uint8Array = BODY, secret: string | string[] = SECRET) =>
  verifyWebhook(given, body, secret, at(NOW))
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'verified',
    (error: WebhookVerificationError) => error.code,
  )

describe('verifyWebhook', () => {
  test('returns the event, whatever kind of headers and body the framework has', async () => {
    const event = JSON.parse(BODY)
    expect(await verify()).toEqual(event)
    expect(await verify(headers(), new TextEncoder().encode(BODY))).toEqual(event)
    expect(await verify(headers(), Buffer.from(BODY))).toEqual(event)
    const capitals = Object.fromEntries(
      Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), [String(value)]]),
    )
    expect(await verify(capitals as never)).toEqual(event)
    const fetched = new Headers(headers() as Record<string, string>)
    expect(await verifyWebhook(fetched, BODY, SECRET, at(NOW))).toEqual(event)
  })

  test('accepts the example of the Standard Webhooks specification', async () => {
    const body = '{"test": 2432232314}'
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
    const given = {
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    expect(await verifyWebhook(given, body, SECRET, at(1_614_265_330))).toEqual({ test: 2432232314 })
  })

  test.each([
    ['a changed byte', headers(), BODY.replace('e1', 'e2'), SECRET, 'wrong_signature'],
    ['a changed id', headers({ 'webhook-id': 'e2' }), BODY, SECRET, 'wrong_signature'],
    ['a changed time', headers({ 'webhook-timestamp': String(NOW + 1) }), BODY, SECRET, 'wrong_signature'],
    ['a wrong secret', headers(), BODY, OTHER, 'wrong_signature'],
    ['another version only', headers({ 'webhook-signature': 'v1a,abc' }), BODY, SECRET, 'wrong_signature'],
    [
      'a signature that is not base64',
      headers({ 'webhook-signature': 'v1,%%' }),
      BODY,
      SECRET,
      'wrong_signature',
    ],
    ['no signature', headers({ 'webhook-signature': undefined }), BODY, SECRET, 'missing_header'],
    ['no id', headers({ 'webhook-id': '' }), BODY, SECRET, 'missing_header'],
    ['an invalid time', headers({ 'webhook-timestamp': 'now' }), BODY, SECRET, 'wrong_time'],
    ['an invalid secret', headers(), BODY, 'whsec_%', 'invalid_secret'],
  ])('refuses %s', async (_what, given, body, secret, code) => {
    expect(await codeOf(verify(given, body, secret))).toBe(code)
  })

  test.each([
    [-301, 'wrong_time'],
    [-300, 'verified'],
    [300, 'verified'],
    [301, 'wrong_time'],
  ])('a clock that is %i s off gives %s', async (offset, result) => {
    expect(await codeOf(verifyWebhook(headers(), BODY, SECRET, at(NOW + offset)))).toBe(result)
  })

  test('during a rotation either secret verifies, on either side', async () => {
    const both = headers({ 'webhook-signature': `${sign(OTHER)} ${sign(SECRET)}` })
    expect(await codeOf(verify(both, BODY, SECRET))).toBe('verified')
    expect(await codeOf(verify(both, BODY, OTHER))).toBe('verified')
    expect(await codeOf(verify(headers(), BODY, [OTHER, SECRET]))).toBe('verified')
  })
})
