/** What every provider must do, whatever it talks to. Each provider's test runs it against a real receiver. */
import { describe, expect, it } from 'vitest'
import type { Message } from '../../content/messages/message.ts'
import { aMessage } from './message.fixture.ts'
import type { Outcome, Provider } from './provider.ts'

/** What the receiver does. `accepts` applies to every provider; the others only where they can happen. */
export type Scenario =
  | 'accepts'
  | 'fails_for_now'
  | 'throttles'
  | 'refuses'
  | 'rejects_credentials'
  | 'hangs'
  | 'is_unreachable'

export interface ProviderUnderTest {
  provider: Provider
  /** The message ids that reached the receiver, in order. */
  receivedIds(): string[]
  /** True once the receiver has seen anything of an attempt. */
  wasContacted(): boolean
  /** Connections that are open at the receiver now; 0 where there are none to open. */
  openConnections(): number
  /** Stops the receiver. */
  stop(): Promise<void>
}

export interface ProviderSetup {
  scenarios: Exclude<Scenario, 'accepts'>[]
  /** The wait that the receiver asks for in `throttles`, where its protocol has a way to say so. */
  throttle_ms?: number
  message?: Partial<Message>
  start(scenario: Scenario, timeout_ms: number): Promise<ProviderUnderTest>
}

const AMPLE_TIMEOUT_MS = 10_000
const SHORT_TIMEOUT_MS = 200
/** Longer than any test may take: an attempt that ends earlier was not ended by the timeout. */
const ENDLESS_TIMEOUT_MS = 3_600_000

/** Registers the conformance tests of one provider: the common ones and those of its scenarios. */
export function describeProvider(name: string, setup: ProviderSetup): void {
  const message = aMessage(setup.message)

  async function withProvider(
    scenario: Scenario,
    timeout_ms: number,
    test: (underTest: ProviderUnderTest) => Promise<void>,
  ): Promise<void> {
    const underTest = await setup.start(scenario, timeout_ms)
    try {
      await test(underTest)
    } finally {
      await underTest.provider.close()
      await underTest.stop()
    }
  }

  async function outcomeWhenReceiver(scenario: Scenario, timeout_ms = AMPLE_TIMEOUT_MS): Promise<Outcome> {
    let outcome: Outcome | undefined
    await withProvider(scenario, timeout_ms, async ({ provider }) => {
      outcome = await provider.send(message, new AbortController().signal)
    })
    return outcome!
  }

  const forScenario: Record<Scenario, () => void> = {
    accepts() {
      it('a success carries the stable message id to the receiver', { tags: 'S000-26' }, () =>
        withProvider('accepts', AMPLE_TIMEOUT_MS, async ({ provider, receivedIds }) => {
          const outcome = await provider.send(message, new AbortController().signal)
          expect(outcome.kind).toBe('sent')
          expect(receivedIds()).toEqual([message.message_id])
        }),
      )

      it('a repeat of the same message carries the same id', { tags: 'S000-26' }, () =>
        withProvider('accepts', AMPLE_TIMEOUT_MS, async ({ provider, receivedIds }) => {
          await provider.send(message, new AbortController().signal)
          await provider.send(message, new AbortController().signal)
          expect(receivedIds()).toEqual([message.message_id, message.message_id])
        }),
      )

      it('a signal aborted beforehand leads to an outcome, and nothing is sent', () =>
        withProvider('accepts', AMPLE_TIMEOUT_MS, async ({ provider, receivedIds }) => {
          const outcome = await provider.send(message, AbortSignal.abort())
          expect(outcome.kind).toBe('retry')
          expect(receivedIds()).toEqual([])
        }))

      it('closing is idempotent and leaves no open connection', () =>
        withProvider('accepts', AMPLE_TIMEOUT_MS, async ({ provider, openConnections }) => {
          await provider.send(message, new AbortController().signal)
          await provider.close()
          await provider.close()
          await expect.poll(openConnections).toBe(0)
        }))
    },

    fails_for_now() {
      it('a temporary failure becomes a retry', async () => {
        expect(await outcomeWhenReceiver('fails_for_now')).toMatchObject({ kind: 'retry' })
      })
    },

    throttles() {
      it('throttling becomes rate_limited or retry, with the wait that the receiver asked for', async () => {
        const outcome = await outcomeWhenReceiver('throttles')
        expect(['rate_limited', 'retry']).toContain(outcome.kind)
        expect(outcome).toHaveProperty('message')
        if (setup.throttle_ms !== undefined) {
          expect(outcome).toHaveProperty('retry_after_ms', setup.throttle_ms)
        }
      })
    },

    refuses() {
      it('a refusal of the message is permanent', async () => {
        expect(await outcomeWhenReceiver('refuses')).toMatchObject({ kind: 'permanent' })
      })
    },

    rejects_credentials() {
      it('refused credentials are a configuration error', async () => {
        expect(await outcomeWhenReceiver('rejects_credentials')).toMatchObject({ kind: 'config' })
      })
    },

    hangs() {
      it('a hanging receiver leads to an outcome at the timeout', async () => {
        const outcome = await outcomeWhenReceiver('hangs', SHORT_TIMEOUT_MS)
        expect(['retry', 'uncertain']).toContain(outcome.kind)
      })

      it('a signal aborted in the middle leads to an outcome at once', () =>
        withProvider('hangs', ENDLESS_TIMEOUT_MS, async ({ provider, wasContacted }) => {
          const controller = new AbortController()
          const sending = provider.send(message, controller.signal)
          await expect.poll(wasContacted).toBe(true)
          controller.abort()
          expect(['retry', 'uncertain']).toContain((await sending).kind)
        }))

      it('closing in the middle of an attempt settles it and leaves no open connection', () =>
        withProvider('hangs', ENDLESS_TIMEOUT_MS, async ({ provider, wasContacted, openConnections }) => {
          const sending = provider.send(message, new AbortController().signal)
          await expect.poll(wasContacted).toBe(true)
          await provider.close()
          expect(['retry', 'uncertain']).toContain((await sending).kind)
          await expect.poll(openConnections).toBe(0)
        }))
    },

    is_unreachable() {
      it('a refused connection becomes a retry', async () => {
        expect(await outcomeWhenReceiver('is_unreachable')).toMatchObject({ kind: 'retry' })
      })
    },
  }

  describe(`${name} provider conformance`, () => {
    for (const scenario of ['accepts' as const, ...setup.scenarios]) forScenario[scenario]()
  })
}
