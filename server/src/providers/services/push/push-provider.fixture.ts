/** What the tests of all push providers share. */

import type { Device, DeviceKind, Message } from '../../../content/messages/message.ts'
import { createAddressGuard } from '../../../platform/outgoing/address-guard.ts'
import { createHttpClient } from '../../../platform/outgoing/http-client.ts'
import type { ProviderKind, ProviderSettings } from '../kind.ts'
import { aMessage } from '../message.fixture.ts'
import type { Outcome, Provider } from '../provider.ts'
import { someSettings } from '../settings.fixture.ts'
import { createHttp2Client } from './http2-client.ts'
import { localhost } from './localhost.fixture.ts'

/** Clients that trust the test certificate and may call this machine. */
export function trustingClients(): Pick<ProviderSettings<unknown, unknown>, 'http' | 'http2'> {
  const options = { guard: createAddressGuard(['127.0.0.0/8']), tls: { ca: localhost.cert } }
  return { http: createHttpClient(options), http2: createHttp2Client(options) }
}

/** A provider with its own HTTP clients, which are closed with it. */
export function createWithOwnClients<Config, Secrets>(
  kind: ProviderKind<Config, Secrets>,
  given: Parameters<typeof someSettings<Config, Secrets>>[0],
): Provider {
  const settings = someSettings({ ...trustingClients(), ...given })
  const provider = kind.create(settings)
  return {
    ...provider,
    async close() {
      await provider.close()
      await Promise.all([settings.http.close(), settings.http2.close()])
    },
  }
}

export function device(kind: DeviceKind, token: string, id = `${kind}-device`): Device {
  return { id, kind, token }
}

export function aPush(devices: Device[], replaced: Partial<Message> = {}): Message {
  return aMessage({ channel: 'push', address: '', html: null, devices, ...replaced })
}

/** Sends once and closes everything. */
export async function sendOnce(provider: Provider, message: Message): Promise<Outcome> {
  try {
    return await provider.send(message, new AbortController().signal)
  } finally {
    await provider.close()
  }
}
