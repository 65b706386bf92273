import type { Provider } from '@carillon/contract'
import { Status } from '../../ui/status.tsx'
import { BREAKERS } from './provider-words.ts'

export function ProviderStatus({ provider: { is_active, breaker } }: { provider: Provider }) {
  return is_active ? (
    <Status status={breaker.state} label={BREAKERS[breaker.state]} />
  ) : (
    <Status status="inactive" label="Switched off" />
  )
}
