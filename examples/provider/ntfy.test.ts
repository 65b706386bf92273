import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { describeHttpKind } from '../../server/src/providers/services/http-kind.suite.ts'
import { ntfy } from './ntfy.ts'

/** A refusal in the form of ntfy's documentation. */
function refusal(http: number, code: number) {
  return { status: http, body: JSON.stringify({ code, http, error: 'refused' }) }
}

describeHttpKind({
  kind: ntfy,
  config: base_url => ({ base_url }),
  secrets: () => ({ token: 'tk_0123456789abcdef0123456789abc' }),
  message: { channel: 'chat', address: 'backups' },
  request: {
    method: 'POST',
    path: '/',
    headers: {
      authorization: 'Bearer tk_0123456789abcdef0123456789abc',
      'content-type': 'application/json',
      'idempotency-key': 'rec-2.route-3',
    },
    body: {
      topic: 'backups',
      title: 'Rechnung bezahlt – danke',
      message: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
    },
  },
  messageIdIn: ({ headers }) => String(headers['idempotency-key']),
  answers: {
    accepts: { status: 200, body: '{"id":"hwQ2YpKdmg","event":"message","topic":"backups"}' },
    fails_for_now: refusal(500, 50001),
    throttles: refusal(429, 42901),
    refuses: refusal(400, 40011),
    rejects_credentials: refusal(401, 40101),
  },
  sent: { provider_message_id: 'hwQ2YpKdmg' },
  rules: [
    ['40009: invalid topic', refusal(400, 40009), { kind: 'permanent', suppress: 'invalid' }],
    ['40301: not your topic', refusal(403, 40301), { kind: 'config' }],
  ],
})

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

it('is what the guide shows, in the 40 lines that the guide promises', async () => {
  const source = await read('./ntfy.ts')
  expect(await read('../../docs/guides/write-a-provider.md')).toContain(`\`\`\`ts\n${source}\`\`\``)
  expect(source.trim().split('\n').length).toBeLessThanOrEqual(40)
})
