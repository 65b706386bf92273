/** Calls the callback reader of a kind as a service would, at a fixed time. */
import type { CallbackRequest, Feedback, ProviderKind, ProviderSettings } from '../kind.ts'
import { someSettings } from '../settings.fixture.ts'

/** The time at which all callbacks arrive in tests. */
export const NOW = Date.parse('2026-03-01T12:00:00Z')
export const NOW_SECONDS = NOW / 1000

export function readCallback(
  kind: ProviderKind,
  given: { config: unknown; secrets: unknown } & Partial<ProviderSettings<unknown, unknown>>,
  request: Pick<CallbackRequest, 'body'> & Partial<CallbackRequest>,
): Promise<Feedback[]> {
  const settings = someSettings({
    now: () => NOW,
    ...given,
    config: kind.config.parse(given.config),
    secrets: kind.secrets.parse(given.secrets),
  })
  return kind.callback!.read(
    { url: 'https://carillon.example/v1/callbacks/1', headers: {}, ...request },
    settings,
  )
}

/** The body with one bit of one byte flipped. */
export function withChangedByte(body: Buffer, at = Math.floor(body.length / 2)): Buffer {
  const changed = Buffer.from(body)
  changed[at]! ^= 1
  return changed
}
