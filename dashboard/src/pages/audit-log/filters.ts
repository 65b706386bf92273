/** What the log is narrowed to. */
import type { AuditLogFilter } from '@carillon/contract'
import { sayAction, sayResource } from '../../ui/audit-words.ts'
import type { FilterChoice } from '../../ui/filter-bar.tsx'
import { sayMoment } from '../../ui/time.tsx'

export const FILTER_NAMES = [
  'user_id',
  'api_key_id',
  'action',
  'resource_type',
  'resource_id',
  'created_after',
  'created_before',
] as const satisfies (keyof AuditLogFilter)[]
export type FilterName = (typeof FILTER_NAMES)[number]

const ACTIONS = [
  'create',
  'update',
  'delete',
  'publish',
  'rollback',
  'replay',
  'resolve',
  'cancel',
  'revoke',
  'rotate',
  'redeliver',
  'register',
]
const RESOURCES = [
  'user',
  'preferences',
  'device',
  'notification_type',
  'template',
  'template_part',
  'provider',
  'suppression',
  'webhook',
  'webhook_delivery',
  'trigger',
  'script',
  'schedule',
  'record',
  'dead_letter',
  'system_event',
  'api_key',
  'tenant',
  'branding',
]

const say = (value: string) => sayMoment(new Date(value))

export function choicesOf(keys: ReadonlyMap<string, string>): FilterChoice<FilterName>[] {
  return [
    { name: 'user_id', label: 'Person', typed: 'ada' },
    keys.size > 0
      ? {
          name: 'api_key_id',
          label: 'API key',
          options: [...keys].map(([value, label]) => ({ value, label })),
        }
      : { name: 'api_key_id', label: 'API key', typed: 'Its id' },
    { name: 'action', label: 'Action', options: ACTIONS.map(value => ({ value, label: sayAction(value) })) },
    {
      name: 'resource_type',
      label: 'Object',
      options: RESOURCES.map(value => ({ value, label: sayResource(value) })),
    },
    { name: 'resource_id', label: 'Object’s id', typed: 'Its whole id' },
    { name: 'created_after', label: 'After', say },
    { name: 'created_before', label: 'Before', say },
  ]
}
