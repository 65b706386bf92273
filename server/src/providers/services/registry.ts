/** Which provider serves which channel, from the settings. Channels without one are captured. */
import { CHANNELS, type Channel } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import type { Config } from '../../platform/config/config.ts'
import { createCaptureProvider } from './capture.ts'
import { createHttpProvider } from './http.ts'
import { createInAppProvider } from './in-app.ts'
import type { Provider } from './provider.ts'
import { createSmtpProvider } from './smtp.ts'

export interface ProviderRegistry {
  providerFor(channel: Channel): Provider
  /** Channel → provider name, for people. */
  describe(): Record<Channel, string>
  close(): Promise<void>
}

export interface RegistryOptions {
  config: Config
  saveCaptured: (message: Message) => Promise<void>
  deliverInApp: (message: Message) => Promise<void>
}

export function createProviderRegistry(options: RegistryOptions): ProviderRegistry {
  const { config } = options
  const made = new Map<string, Provider>()
  const makers: Record<string, () => Provider> = {
    capture: () => createCaptureProvider({ save: options.saveCaptured }),
    in_app: () => createInAppProvider({ deliver: options.deliverInApp }),
    smtp: () => createSmtpProvider(smtpOptions(config)),
    http: () =>
      createHttpProvider({
        url: config.CARILLON_HTTP_PROVIDER_URL,
        headers: config.CARILLON_HTTP_PROVIDER_HEADERS,
        timeout_ms: config.CARILLON_PROVIDER_TIMEOUT_MS,
      }),
  }

  function providerNamed(name: string): Provider {
    const provider = made.get(name) ?? makers[name]!()
    made.set(name, provider)
    return provider
  }

  const byChannel = Object.fromEntries(
    CHANNELS.map(channel => [channel, providerNamed(chooseName(channel, config))]),
  ) as Record<Channel, Provider>

  return {
    providerFor: channel => byChannel[channel],
    describe: () =>
      Object.fromEntries(CHANNELS.map(channel => [channel, byChannel[channel].name])) as Record<
        Channel,
        string
      >,
    async close() {
      await Promise.all([...made.values()].map(provider => provider.close()))
    },
  }
}

function chooseName(channel: Channel, config: Config): string {
  if (channel === 'in_app') return 'in_app'
  const chosen = config.CARILLON_PROVIDERS[channel]
  if (chosen !== undefined) return chosen
  return channel === 'email' && config.CARILLON_SMTP_URL !== '' ? 'smtp' : 'capture'
}

function smtpOptions(config: Config): Parameters<typeof createSmtpProvider>[0] {
  return {
    url: config.CARILLON_SMTP_URL,
    from: config.CARILLON_SMTP_FROM,
    timeout_ms: config.CARILLON_PROVIDER_TIMEOUT_MS,
    pool_size: 5,
    ...(config.CARILLON_DKIM_DOMAIN !== '' && {
      dkim: {
        domain: config.CARILLON_DKIM_DOMAIN,
        selector: config.CARILLON_DKIM_SELECTOR,
        private_key: config.CARILLON_DKIM_PRIVATE_KEY,
      },
    }),
  }
}
