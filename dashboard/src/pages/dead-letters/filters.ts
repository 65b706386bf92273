/** What the dead letters are narrowed to, in the address and in a call. */
import type { DeadLetterFilter, DeadLetterQuery } from '@carillon/contract'
import { CHANNEL_OPTIONS } from '../../ui/channel.tsx'
import type { FilterChoice } from '../../ui/filter-bar.tsx'
import { sayMoment } from '../../ui/time.tsx'
import { REASON_WORDS, sayClassification } from './words.ts'

export const FILTER_NAMES = [
  'state',
  'source',
  'channel',
  'notification_type',
  'failure_reason',
  'failure_classification',
  'provider',
  'template',
  'notification_id',
  'recipient_ref',
  'target_id',
  'trigger_id',
  'script_id',
  'created_after',
  'created_before',
] as const
export type FilterName = (typeof FILTER_NAMES)[number]
type Values = Partial<Record<FilterName, string>>

/** An address has no empty values, but letters without a provider or template are a choice too. */
const NONE = '(none)'

export function filterOf({ state: _, ...values }: Values): DeadLetterFilter {
  const entries = Object.entries(values).map(([name, value]) => [name, value === NONE ? '' : value])
  return Object.fromEntries(entries) as DeadLetterFilter
}

export const stateOf = ({ state }: Values): DeadLetterQuery['state'] =>
  state === 'resolved' || state === 'all' ? state : 'open'

export function valuesOf(filter: DeadLetterFilter): Values {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(entries.map(([name, value]) => [name, value === '' ? NONE : String(value)]))
}

const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }))

const SOURCES = { route: 'Messages to people', webhook: 'Webhooks' }
const CLASSIFICATIONS = ['transient', 'rate_limited', 'permanent', 'config', 'uncertain']

const say = (value: string) => sayMoment(new Date(value))

export function choicesOf(providers: string[], types: string[]): FilterChoice<FilterName>[] {
  return [
    {
      name: 'state',
      label: 'State',
      options: [
        { value: 'resolved', label: 'Resolved' },
        { value: 'all', label: 'Open and resolved' },
      ],
    },
    { name: 'failure_reason', label: 'Reason', options: optionsOf(REASON_WORDS) },
    {
      name: 'failure_classification',
      label: 'Kind of failure',
      isRare: true,
      options: CLASSIFICATIONS.map(value => ({ value, label: sayClassification(value) })),
    },
    { name: 'channel', label: 'Channel', options: CHANNEL_OPTIONS },
    providers.length > 0
      ? { name: 'provider', label: 'Provider', options: providers }
      : { name: 'provider', label: 'Provider', typed: 'smtp-main' },
    types.length > 0
      ? { name: 'notification_type', label: 'Type', options: types.map(value => ({ value, label: value })) }
      : { name: 'notification_type', label: 'Type', typed: 'order_paid' },
    { name: 'template', label: 'Template', isRare: true, typed: 'order_paid' },
    { name: 'source', label: 'Source', isRare: true, options: optionsOf(SOURCES) },
    { name: 'recipient_ref', label: 'Recipient', isRare: true, typed: 'user:ada' },
    { name: 'notification_id', label: 'Notification', isRare: true, typed: 'Its id' },
    { name: 'target_id', label: 'Target' },
    { name: 'trigger_id', label: 'Trigger' },
    { name: 'script_id', label: 'Script' },
    { name: 'created_after', label: 'After', say },
    { name: 'created_before', label: 'Before', say },
  ]
}
