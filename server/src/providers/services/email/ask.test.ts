/** Mail services that can be asked whether they have a message, after no answer came. */
import { expect, it, onTestFinished } from 'vitest'
import { startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import type { ProviderKind } from '../kind.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { mailgun } from './mailgun.ts'
import { postmark } from './postmark.ts'

const CASES: [ProviderKind, object, object, path: string, known: object, unknown: object][] = [
  [
    postmark,
    { from: 'a@acme.example' },
    { server_token: 'token-1' },
    '/messages/outbound?count=1&offset=0&messagestream=outbound&metadata_message_id=rec-2.route-3',
    { TotalCount: 1, Messages: [{}] },
    { TotalCount: 0, Messages: [] },
  ],
  [
    mailgun,
    { from: 'a@acme.example', domain: 'mg.acme.example' },
    { api_key: 'key-1' },
    '/v3/mg.acme.example/events?message-id=rec-2.route-3%40acme.example&limit=1',
    { items: [{ event: 'accepted' }] },
    { items: [] },
  ],
]

it.each(CASES)('$name says whether it has a message', async (kind, config, secrets, path, known, unknown) => {
  const receiver = await startHttpReceiver()
  const settings = someSettings({
    config: kind.config.parse({ ...config, base_url: new URL(receiver.url).origin }),
    secrets: kind.secrets.parse(secrets),
  })
  onTestFinished(settings.http.close)
  onTestFinished(receiver.stop)
  const ask = (status: number, body: object) => {
    receiver.answerWith(() => ({ status, body: JSON.stringify(body) }))
    return kind.create(settings).inquiry?.wasSent(aMessage(), new Date(), new AbortController().signal)
  }
  expect(await ask(200, known)).toBe(true)
  expect(await ask(200, unknown)).toBe(false)
  expect(await ask(500, unknown)).toBeUndefined()
  // An answer that says nothing is no no.
  expect(await ask(200, {})).toBeUndefined()
  expect(receiver.requests[0]).toMatchObject({ method: 'GET', path })
})
