import { expect, it } from 'vitest'
import type { HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { teams } from './teams.ts'

const PATH =
  '/powerautomate/automations/direct/workflows/86ffea6392fe4f3f9555f5e8f9b1f06e/triggers/manual/paths/invoke' +
  '?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=n0t-4-r34l-s1gn4tur3_0123456789'

function refusal(status: number, code: string) {
  return { status, body: JSON.stringify({ error: { code, message: 'Refused' } }) }
}

describeHttpKind({
  kind: teams,
  config: () => ({}),
  secrets: base => ({ webhooks: { ops: base + PATH } }),
  message: { channel: 'chat', address: 'ops' },
  request: {
    method: 'POST',
    path: PATH,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'rec-2.route-3' },
    body: {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', text: 'Rechnung bezahlt – danke', weight: 'Bolder', wrap: true },
              { type: 'TextBlock', text: 'Grüezi Ada, Rechnung 7 ist bezahlt.', wrap: true },
            ],
          },
        },
      ],
    },
  },
  messageIdIn: ({ headers }) => String(headers['idempotency-key']),
  answers: {
    accepts: { status: 202 },
    fails_for_now: { status: 502 },
    throttles: { status: 429, headers: { 'retry-after': '10' } },
    refuses: refusal(400, 'TriggerInputSchemaMismatch'),
  },
  throttle_ms: 10_000,
  sent: { response: 'HTTP 202' },
  rules: [
    [
      'the workflow was deleted',
      refusal(404, 'WorkflowNotFound'),
      { kind: 'permanent', suppress: 'invalid' },
    ],
    ['the workflow is switched off', refusal(400, 'WorkflowTriggerIsNotEnabled'), { kind: 'permanent' }],
    [
      'the signature is wrong',
      refusal(401, 'DirectApiAuthorizationRequired'),
      { kind: 'permanent', fault: 'recipient' },
    ],
    ['too large', { status: 413 }, { kind: 'permanent' }],
  ],
})

async function bodyOf(subject: string, text: string): Promise<string> {
  let body = ''
  const http = {
    async send(request: HttpRequest) {
      body = String(request.body)
      return { status: 202, headers: {}, body: '' }
    },
    close: async () => {},
  }
  const settings = someSettings({ config: {}, secrets: teams.secrets.parse({}), http })
  const message = aMessage({ address: 'https://x.example/', subject, text })
  await teams.create(settings).send(message, new AbortController().signal)
  return body
}

it('stays below 28 KB, whatever the language', async () => {
  const body = await bodyOf('鐘'.repeat(9000), '鐘'.repeat(90_000))
  expect(body).toContain('鐘…')
  expect(Buffer.byteLength(body)).toBeLessThan(28_000)
})

it('says nothing twice', async () => {
  expect((await bodyOf('Paid', 'Paid')).match(/Paid/g)).toHaveLength(1)
})
