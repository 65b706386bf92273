/** Who did what, in words, and where the thing is that it was done to. */
import type { AuditLog } from '@carillon/contract'
import { addressOf } from '../shell/addresses.ts'

const PAST: Record<string, string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  revoke: 'revoked',
  register: 'registered',
  cancel: 'cancelled',
  replay: 'replayed',
  resolve: 'resolved',
  raise: 'raised',
  rotate: 'rotated the secret of',
  rotate_url: 'rotated the address of',
  reencrypt: 'encrypted anew',
  redeliver: 'delivered again',
  publish: 'published',
  rollback: 'rolled back',
  import: 'imported',
  export: 'exported',
  retry: 'retried',
  reset: 'reset',
  recover: 'recovered',
  promote: 'promoted',
  approve: 'approved',
  accept: 'accepted',
  suspend: 'suspended',
  resume: 'resumed',
  schedule_deletion: 'scheduled the deletion of',
  sign_in: 'began',
  sign_in_refused: 'refused to sign in',
}

export const sayAction = (action: string): string => PAST[action] ?? action.replaceAll('_', ' ')

/** A dry run is written down too, but nothing was done. */
export const sayDone = ({ action, new_values }: Pick<AuditLog, 'action' | 'new_values'>): string =>
  new_values?.dry_run === true ? 'only counted' : sayAction(action)

export const sayResource = (type: string): string =>
  ({
    user: 'person',
    session: 'dashboard session',
    record: 'notification',
    api_key: 'API key',
    notification_type: 'type',
    kv_entry: 'KV entry',
  })[type] ?? type.replaceAll('_', ' ')

/** The page of what was changed; nothing if there is none. */
export function resourceAddress(type: string, id: string | null): string | undefined {
  if (id === null) return undefined
  switch (type) {
    case 'user':
    case 'preferences':
    case 'user_token':
      return addressOf('user', id)
    case 'record':
    case 'dead_letter':
    case 'notification_type':
    case 'template':
    case 'provider':
    case 'webhook':
    case 'trigger':
    case 'script':
      return addressOf(type, id)
    case 'schedule':
      return `/schedules/${encodeURIComponent(id)}`
    case 'tenant':
    case 'branding':
      return '/settings'
    case 'api_key':
      return '/api-keys'
    case 'member':
    case 'invitation':
      return '/members'
    case 'system_event':
      return '/system-events?state=all'
    case 'template_part':
      return '/template-parts'
    case 'suppression':
      return '/suppressions'
    default:
      return undefined
  }
}

/** Who did it: a person of a key, a member by their email, the key itself, or nobody. */
export function sayActor({
  user_id,
  account_email,
  api_key_id,
}: Pick<AuditLog, 'user_id' | 'account_email' | 'api_key_id'>): string {
  if (user_id !== null) return user_id
  if (account_email !== null) return account_email
  return api_key_id === null ? 'Carillon' : `API key ${api_key_id.slice(0, 8)}`
}
