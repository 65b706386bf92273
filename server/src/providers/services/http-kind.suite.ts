/**
 * The tests of one HTTP provider kind, against a local server in place of the service: the conformance suite, the whole
 * request compared with the documentation, what each documented answer means, and that no secret is stored.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type HttpReceiver,
  type ReceivedRequest,
  startHttpReceiver,
} from '../../../test/receivers/http-receiver.ts'
import type { Message } from '../../content/messages/message.ts'
import { describeProvider, type Scenario } from './conformance.suite.ts'
import type { ProviderKind, ProviderSettings } from './kind.ts'
import { aMessage } from './message.fixture.ts'
import type { Outcome, Provider } from './provider.ts'
import { someSettings } from './settings.fixture.ts'

/** A request as documented; a body that is a form or JSON is parsed. */
interface DocumentedRequest {
  method: string
  /** Including the query. */
  path: string
  /** All of them, except those of HTTP itself and the trace. */
  headers: Record<string, string>
  body: unknown
}

interface HttpKindSetup {
  kind: ProviderKind
  /** `base` is the local server's URL, in place of the service's. */
  config(base: string): unknown
  secrets(base: string): unknown
  settings?: Partial<ProviderSettings<unknown, unknown>>
  message: Partial<Message>
  request: DocumentedRequest
  messageIdIn(request: ReceivedRequest): string
  answers: { accepts: Answer } & Partial<Record<Exclude<Scenario, 'hangs' | 'is_unreachable'>, Answer>>
  throttle_ms?: number
  /** The outcome of `accepts`. */
  sent: Partial<Outcome>
  /** What else the service may answer, and the outcome of each, without its text. */
  rules: [title: string, answer: Answer, outcome: Partial<Outcome>][]
}

export function describeHttpKind(setup: HttpKindSetup): void {
  const { kind, answers } = setup
  const played = Object.keys(answers).filter(name => name !== 'accepts') as Exclude<Scenario, 'accepts'>[]

  describeProvider(kind.name, {
    scenarios: [...played, 'hangs', 'is_unreachable'],
    message: setup.message,
    ...(setup.throttle_ms !== undefined && { throttle_ms: setup.throttle_ms }),
    async start(scenario, timeoutMs) {
      const receiver = await startHttpReceiver()
      const mismatches: unknown[] = []
      if (scenario === 'is_unreachable') await receiver.stop()
      else
        receiver.answerWith(request => {
          compare(request, setup.request, mismatches)
          return scenario === 'hangs' ? 'hang' : answers[scenario]!
        })
      return {
        provider: makeProvider(setup, receiver, timeoutMs),
        receivedIds: () => receiver.requests.map(setup.messageIdIn),
        wasContacted: () => receiver.requests.length > 0,
        openConnections: () => receiver.connections.open,
        async stop() {
          await receiver.stop()
          if (mismatches.length > 0) throw mismatches[0]
        },
      }
    },
  })

  describe(`what ${kind.title} answers`, () => {
    let receiver: HttpReceiver
    let provider: Provider
    beforeAll(async () => {
      receiver = await startHttpReceiver()
      provider = makeProvider(setup, receiver, 10_000)
    })
    afterAll(async () => {
      await provider.close()
      await receiver.stop()
    })

    async function outcomeOf(answer: (request: ReceivedRequest) => Answer): Promise<Outcome> {
      receiver.answerWith(answer)
      return provider.send(aMessage(setup.message), new AbortController().signal)
    }

    it('acceptance', async () => {
      expect(await outcomeOf(() => answers.accepts)).toMatchObject({ kind: 'sent', ...setup.sent })
    })

    it.each(setup.rules)('%s', async (_title, answer, outcome) => {
      const { message, response, ...meaning }: Outcome & { message?: string; response?: string } =
        await outcomeOf(() => answer)
      expect(meaning).toEqual(outcome)
    })

    it('is stored without secrets that it echoes', { tags: 'S002-21' }, async () => {
      const outcome = await outcomeOf(({ path, headers }) => ({
        status: 400,
        body: `${path} ${headers.authorization ?? ''}`,
      }))
      expect(outcome).toHaveProperty('message')
      const stored = JSON.stringify(outcome)
      for (const secret of textsIn(setup.secrets(baseOf(receiver)))) {
        expect(stored).not.toContain(secret)
        expect(stored).not.toContain(secret.split('/').at(-1))
      }
      expect(stored).not.toContain(receiver.requests.at(-1)?.headers.authorization ?? 'none')
    })
  })
}

/** Closing it also closes its HTTP client, which real providers share. */
function makeProvider(setup: HttpKindSetup, receiver: HttpReceiver, timeoutMs: number): Provider {
  const base = baseOf(receiver)
  const settings = someSettings({
    ...setup.settings,
    config: setup.kind.config.parse(setup.config(base)),
    secrets: setup.kind.secrets.parse(setup.secrets(base)),
    timeoutMs,
  })
  const provider = setup.kind.create(settings)
  return {
    ...provider,
    async close() {
      await provider.close()
      await settings.http.close()
    },
  }
}

function compare(request: ReceivedRequest, documented: DocumentedRequest, mismatches: unknown[]): void {
  try {
    const { host, connection, 'content-length': length, ...headers } = request.headers
    expect({ method: request.method, path: request.path, headers, body: parseBody(request) }).toEqual({
      ...documented,
      headers: { 'user-agent': 'Carillon', traceparent: aMessage().traceparent, ...documented.headers },
    })
  } catch (mismatch) {
    mismatches.push(mismatch)
  }
}

function parseBody({ headers, body }: ReceivedRequest): unknown {
  const text = body.toString()
  if (headers['content-type']?.startsWith('application/json')) return JSON.parse(text)
  return Object.fromEntries(new URLSearchParams(text))
}

function baseOf(receiver: HttpReceiver): string {
  return new URL(receiver.url).origin
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
