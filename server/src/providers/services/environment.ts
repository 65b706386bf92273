/** The providers that the operator sets up in the environment, for all tenants without one of their own. */
import { type Config, providerOf } from '../../platform/config/config.ts'
import { PROVIDER_CHANNELS, type ProviderChannel } from '../../platform/config/settings.ts'
import { createHttpProvider } from './http.ts'
import type { Provider } from './provider.ts'
import { createSmtpProvider } from './smtp.ts'
import { withoutHosts } from './without-hosts.ts'

export interface EnvironmentProvider {
  channel: ProviderChannel
  /** Also its kind. */
  name: 'smtp' | 'http'
  /** What tenants may see: nothing about the operator's network. */
  config: Record<string, unknown>
  /** Messages per minute. */
  rateLimit: number | null
  timeoutMs: number
  /** Everything it is made from, secrets too, to find out whether anything has changed; never stored as it is. */
  settings: string
  provider: Provider
}

export interface Environment {
  providers: EnvironmentProvider[]
  /** Channels explicitly set to `capture`, as opposed to channels without a provider. */
  captured: ProviderChannel[]
}

/** Throws when the settings cannot work. */
export function readEnvironment(config: Config): Environment {
  const chosen = PROVIDER_CHANNELS.map(channel => ({ channel, name: providerOf(config, channel) }))
  return {
    providers: chosen.flatMap(({ channel, name }) =>
      name === 'smtp' || name === 'http' ? [makeProvider(channel, name, config)] : [],
    ),
    captured: chosen.filter(({ name }) => name === 'capture').map(({ channel }) => channel),
  }
}

function makeProvider(channel: ProviderChannel, name: 'smtp' | 'http', config: Config): EnvironmentProvider {
  const settings = name === 'smtp' ? smtpOptions(config) : httpOptions(config)
  return {
    channel,
    name,
    config: name === 'smtp' ? { from: config.CARILLON_SMTP_FROM } : {},
    rateLimit: config.CARILLON_PROVIDER_RATES[channel] ?? null,
    timeoutMs: config.CARILLON_PROVIDER_TIMEOUT_MS,
    settings: JSON.stringify(settings),
    provider: withoutHosts(
      name === 'smtp' ? createSmtpProvider(smtpOptions(config)) : createHttpProvider(httpOptions(config)),
      settings.url,
    ),
  }
}

function httpOptions(config: Config): Parameters<typeof createHttpProvider>[0] {
  return {
    url: config.CARILLON_HTTP_PROVIDER_URL,
    headers: config.CARILLON_HTTP_PROVIDER_HEADERS,
    timeout_ms: config.CARILLON_PROVIDER_TIMEOUT_MS,
  }
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
