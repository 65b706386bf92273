/** Gives a test file its own mail server, and the provider that sends to it. */
import { afterAll, beforeAll } from 'vitest'
import type { Provider } from '../src/providers/services/provider.ts'
import { createSmtpProvider } from '../src/providers/services/smtp.ts'
import { type SmtpReceiver, startSmtpReceiver } from './receivers/smtp-receiver.ts'

export interface TestSmtp {
  readonly receiver: SmtpReceiver
  readonly provider: Provider
}

export function useSmtp(): TestSmtp {
  let receiver: SmtpReceiver
  let provider: Provider

  beforeAll(async () => {
    receiver = await startSmtpReceiver()
    const from = 'bells@carillon.example'
    provider = createSmtpProvider({ url: receiver.url, from, timeout_ms: 10_000, pool_size: 1 })
  })
  afterAll(async () => {
    await provider.close()
    await receiver.stop()
  })

  return {
    get receiver() {
      return receiver
    },
    get provider() {
      return provider
    },
  }
}
