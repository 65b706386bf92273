/** Provider settings for tests: real HTTP clients that may call this machine. */
import { createAddressGuard } from '../../platform/outgoing/address-guard.ts'
import { createHttpClient } from '../../platform/outgoing/http-client.ts'
import type { ProviderSettings } from './kind.ts'
import { createHttp2Client } from './push/http2-client.ts'

const guard = createAddressGuard(['127.0.0.0/8', '::1/128'])

export function someSettings<Config, Secrets>(
  given: { config: Config; secrets: Secrets } & Partial<ProviderSettings<Config, Secrets>>,
): ProviderSettings<Config, Secrets> {
  return {
    name: 'test',
    timeoutMs: 5000,
    http: createHttpClient({ guard }),
    http2: createHttp2Client({ guard }),
    callbackUrl: undefined,
    now: Date.now,
    ...given,
  }
}
