import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { http } from './http.ts'
import { type Feedback, ForgedCallback } from './kind.ts'
import { someSettings } from './settings.fixture.ts'

const SECRET = 'a-signing-secret-of-32-characters'
const NOW = Date.parse('2026-03-01T12:00:00Z')
const SECONDS = String(NOW / 1000)
const report = { event_id: 'e-1', message_id: 'rec-2.route-3', kind: 'delivered' }

function sign(body: string, timestamp = SECONDS, secret = SECRET): Record<string, string> {
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'carillon-timestamp': timestamp, 'carillon-signature': signature }
}

function read(
  body: string,
  headers = sign(body),
  signing_secret: string | undefined = SECRET,
): Promise<Feedback[]> {
  const secrets = http.secrets.parse({ signing_secret })
  const settings = someSettings({
    config: http.config.parse({ url: 'https://x.example' }),
    secrets,
    now: () => NOW,
  })
  return http.callback!.read({ url: 'https://bells.example/cb', headers, body: Buffer.from(body) }, settings)
}

describe('a report', () => {
  it('needs an event, a message and a kind', async () => {
    expect(await read(JSON.stringify(report))).toEqual([{ ...report, detail: '', at: new Date(NOW) }])
  })

  it('may also have a time, a detail and an address', async () => {
    const more = { kind: 'bounced', detail: 'full', at: '2026-03-01T10:00:00+01:00', address: '+41790000000' }
    expect(await read(JSON.stringify({ ...report, ...more }))).toEqual([
      {
        ...report,
        kind: 'bounced',
        recipient: '+41790000000',
        detail: 'full',
        at: new Date('2026-03-01T09:00:00Z'),
        suppress: { address: '+41790000000', reason: 'hard_bounce' },
      },
    ])
  })

  it.each([
    ['bounced', 'hard_bounce'],
    ['complained', 'complaint'],
    ['unsubscribed', 'unsubscribed'],
    ['failed', undefined],
    ['delivered', undefined],
  ])('%s with an address suppresses it as %s', async (kind, reason) => {
    const [feedback] = await read(JSON.stringify({ ...report, kind, address: 'a' }))
    expect(feedback?.suppress?.reason).toBe(reason)
  })
})

describe('a report is refused', () => {
  const body = JSON.stringify(report)

  it.each<[string, string, Record<string, string>]>([
    ['without a signature', body, { 'carillon-timestamp': SECONDS }],
    ['without a timestamp', body, { 'carillon-signature': sign(body)['carillon-signature']! }],
    ['with the signature of another body', body.replace('e-1', 'e-2'), sign(body)],
    ['with the signature of another secret', body, sign(body, SECONDS, 'another secret')],
    ['with a timestamp that was not signed', body, { ...sign(body), 'carillon-timestamp': '1772366401' }],
    ['after five minutes', body, sign(body, String(NOW / 1000 - 301))],
    ['from the future', body, sign(body, String(NOW / 1000 + 301))],
    ['with an invalid timestamp', body, sign(body, 'soon')],
    ['that is not JSON', 'hello', sign('hello')],
    ['of an unknown kind', body.replace('delivered', 'eaten'), sign(body.replace('delivered', 'eaten'))],
  ])('%s', async (_title, text, headers) => {
    await expect(read(text, headers)).rejects.toThrow(ForgedCallback)
  })

  it('while no secret is set', async () => {
    const settings = someSettings({ config: {}, secrets: {}, now: () => NOW })
    const request = {
      url: 'https://bells.example/cb',
      headers: sign(body, SECONDS, ''),
      body: Buffer.from(body),
    }
    await expect(http.callback!.read(request, settings as never)).rejects.toThrow(ForgedCallback)
  })
})

it('a report within five minutes is accepted', async () => {
  const body = JSON.stringify(report)
  expect(await read(body, sign(body, String(NOW / 1000 - 299)))).toHaveLength(1)
})
