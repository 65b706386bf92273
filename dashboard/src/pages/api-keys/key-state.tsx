import type { ApiKey } from '@carillon/contract'
import { Status } from '../../ui/status.tsx'

export function keyState({ is_active, expires_at }: ApiKey): { status: string; label: string } {
  if (!is_active) return { status: 'cancelled', label: 'Revoked' }
  if (expires_at !== null && Date.parse(expires_at) <= Date.now())
    return { status: 'expired', label: 'Expired' }
  return { status: 'active', label: 'Active' }
}

export const KeyStatus = ({ apiKey }: { apiKey: ApiKey }) => <Status {...keyState(apiKey)} />
