/** Tells operators that a provider keeps failing, until it recovers or is no longer used. */
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { storable } from '../../platform/text/cut.ts'
import type { ProviderConfigRow } from './queries.ts'

/** The types of the system events. */
const DOWN = 'provider_down'
export const ACCOUNT_REFUSED = 'provider_account_refused'
const CREDENTIALS_REFUSED = 'push_credentials_refused'
const MAX_ERROR_LENGTH = 500

export type NamedProvider = Pick<ProviderConfigRow, 'id' | 'tenant_id' | 'channel' | 'name'>

/** A provider from the environment concerns the operator and no tenant. */
export async function raiseDown(db: Executor, provider: NamedProvider, error: string): Promise<void> {
  await raiseSystemEvent(db, {
    tenant_id: provider.tenant_id,
    event_type: DOWN,
    subject: subjectOf(provider),
    severity: 'high',
    description: `The provider "${provider.name}" keeps failing and is not used until it recovers.`,
    details: {
      provider_id: provider.id,
      channel: provider.channel,
      last_error: storable(error, MAX_ERROR_LENGTH),
    },
  })
}

export async function resolveDown(db: Executor, provider: NamedProvider): Promise<void> {
  await resolveSystemEvents(db, provider.tenant_id, DOWN, subjectOf(provider))
}

/** When the provider is removed, switched off or given other settings: whatever was wrong is no longer. */
export async function resolveProblems(db: Executor, provider: NamedProvider): Promise<void> {
  await resolveDown(db, provider)
  await resolveSystemEvents(db, provider.tenant_id, ACCOUNT_REFUSED, subjectOf(provider))
  await resolveCredentialsRefused(db, provider)
}

/** The service accepts messages, but those behind it do not: no message fails, so nobody would notice. */
export async function raiseCredentialsRefused(
  db: Executor,
  provider: NamedProvider,
  error: string,
): Promise<void> {
  await raiseSystemEvent(db, {
    tenant_id: provider.tenant_id,
    event_type: CREDENTIALS_REFUSED,
    subject: subjectOf(provider),
    severity: 'high',
    description: `The provider "${provider.name}" accepts pushes, but Apple or Google refuse its credentials for them.`,
    details: {
      provider_id: provider.id,
      channel: provider.channel,
      last_error: storable(error, MAX_ERROR_LENGTH),
    },
  })
}

export async function resolveCredentialsRefused(db: Executor, provider: NamedProvider): Promise<void> {
  await resolveSystemEvents(db, provider.tenant_id, CREDENTIALS_REFUSED, subjectOf(provider))
}

/** A tenant's names are unique; the environment has providers of the same name on several channels. */
export function subjectOf({ tenant_id, channel, name }: NamedProvider): string {
  return tenant_id === null ? `${channel}/${name}` : name
}
