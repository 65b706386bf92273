/** The provider side of a test Carillon: a throw-away master key, and clients that may call only this machine. */
import type { Pool } from '../src/platform/database/pool.ts'
import { createAddressGuard } from '../src/platform/outgoing/address-guard.ts'
import { createHttpClient } from '../src/platform/outgoing/http-client.ts'
import { createKeyring, newMasterKey } from '../src/platform/secrets/keyring.ts'
import {
  createProviderDirectory,
  type DirectoryOptions,
} from '../src/providers/provider-configs/directory.ts'
import type { Provider } from '../src/providers/services/provider.ts'
import { createHttp2Client } from '../src/providers/services/push/http2-client.ts'
import { createOutputStreams, type OutputOptions } from '../src/reactions/output-streams/output-streams.ts'
import { checkWebhookBodies } from './webhook-bodies.ts'

const NOWHERE: Provider = {
  name: 'nowhere',
  send: async () => ({ kind: 'config', message: 'no provider is configured in this test' }),
  close: async () => {},
}

export const PUBLIC_URL = 'https://carillon.example.com'

export function createProviderParts(
  pool: Pool,
  options: Partial<DirectoryOptions> = {},
  outputs: OutputOptions = {},
) {
  const masterKey = newMasterKey()
  const keyring = createKeyring([masterKey])
  const guard = createAddressGuard(['127.0.0.0/8', '::1/128'])
  const wrongBodies: unknown[] = []
  const http = checkWebhookBodies(createHttpClient({ guard }), error => wrongBodies.push(error))
  const http2 = createHttp2Client({ guard })
  const streams = createOutputStreams(outputs)
  const directory = createProviderDirectory({
    pool,
    keyring,
    http,
    http2,
    publicUrl: PUBLIC_URL,
    environment: { providers: [], captured: [] },
    builtIn: () => NOWHERE,
    onError: () => {},
    rememberMs: 0,
    ...options,
  })
  /** Throws when a webhook was sent with a body that is not its schema. */
  const check = () => {
    if (wrongBodies.length > 0) throw wrongBodies.shift()
  }
  return {
    masterKey,
    keyring,
    directory,
    outgoing: { guard, http, streams },
    publicUrl: PUBLIC_URL,
    check,
    async close() {
      await directory.close()
      await Promise.all([http.close(), http2.close(), streams.close()])
      check()
    },
  }
}
