/** Every setting of a tenant: how it is asked for, and what it means. */
import type { TenantSettings } from '@carillon/contract'

export type SettingName = keyof TenantSettings

export interface SettingSpec {
  name: SettingName
  label: string
  help?: string
  kind: 'switch' | 'number' | 'days' | 'seconds' | 'ms' | 'names' | 'text' | 'attempts' | 'choice'
  /** null can be chosen, and means this. */
  empty?: string
  min?: number
  options?: readonly string[]
}

export const SECTIONS: { title: string; about: string; isDense?: boolean; fields: SettingSpec[] }[] = [
  {
    title: 'Intake',
    about: 'What is accepted, and what counts as the same.',
    fields: [
      {
        name: 'accept_unknown_types',
        label: 'Accept unknown types',
        kind: 'switch',
        help: 'Off: an intent whose type is not in the catalog is refused.',
      },
      {
        name: 'idempotency_window_seconds',
        label: 'Keys are remembered for',
        kind: 'seconds',
        help: 'A second intent with the same key within this time adds nothing.',
      },
      {
        name: 'computed_key_window_seconds',
        label: 'Content without a key is remembered for',
        kind: 'seconds',
        help: 'The same content within this time adds nothing. 0: an intent without a key is always new.',
      },
    ],
  },
  {
    title: 'Languages',
    about: 'Which text a reader gets.',
    fields: [
      {
        name: 'locales',
        label: 'Languages',
        kind: 'names',
        empty: 'Any',
        help: 'With a list, any other becomes the nearest of these. If left empty: any.',
      },
      {
        name: 'fallback_locale',
        label: 'Fallback language',
        kind: 'text',
        help: 'For readers without a language, or whose language has no text. English comes last.',
      },
    ],
  },
  {
    title: 'Delivery',
    about: 'How often and how fast a message is tried again. Types can say otherwise.',
    fields: [
      {
        name: 'max_attempts',
        label: 'Attempts per channel',
        kind: 'attempts',
        help: 'Then it becomes a dead letter.',
      },
      { name: 'retry_base_ms', label: 'First wait', kind: 'ms', help: 'Doubles with every attempt.' },
      { name: 'retry_cap_ms', label: 'Longest wait', kind: 'ms' },
    ],
  },
  {
    title: 'Retention',
    about: 'How long things are kept.',
    isDense: true,
    fields: [
      {
        name: 'record_hot_days',
        label: 'Notifications, before they are archived',
        kind: 'days',
        help: 'In the archive they are read as before.',
      },
      { name: 'record_retention_days', label: 'Notifications', kind: 'days' },
      { name: 'dead_letter_retention_days', label: 'Dead letters', kind: 'days' },
      { name: 'malformed_retention_days', label: 'Malformed intents', kind: 'days' },
      {
        name: 'event_retention_days',
        label: 'Events',
        kind: 'days',
        help: 'Once every consumer has read them.',
      },
      {
        name: 'inbox_retention_days',
        label: 'Inboxes',
        kind: 'days',
        help: 'From the last event; saved ones are kept.',
      },
      { name: 'run_retention_days', label: 'Runs of scripts', kind: 'days' },
      { name: 'abandoned_retention_days', label: 'Abandoned results of scripts', kind: 'days' },
      { name: 'system_event_retention_days', label: 'System events', kind: 'days', min: 90 },
      {
        name: 'audit_retention_days',
        label: 'Audit log',
        kind: 'days',
        min: 30,
        empty: 'Forever',
        help: 'If left empty: kept forever.',
      },
    ],
  },
  {
    title: 'Limits',
    about: 'So that one caller cannot take everything.',
    isDense: true,
    fields: [
      {
        name: 'requests_per_minute',
        label: 'Requests per minute',
        kind: 'number',
        empty: 'No limit',
        help: 'For each user, or for a key without a user.',
      },
      {
        name: 'notifications_per_day',
        label: 'Intents per day',
        kind: 'number',
        empty: 'No limit',
        help: 'Of each user, or of a key without a user.',
      },
      {
        name: 'user_requests_per_minute',
        label: 'Requests of a person’s browsers per minute',
        kind: 'number',
      },
      {
        name: 'mails_per_hour',
        label: 'Mails about threads and events per hour',
        kind: 'number',
        help: 'For each person.',
      },
      {
        name: 'mails_per_thread_window_seconds',
        label: 'One mail about a thread within',
        kind: 'seconds',
        help: '0: as many as there are.',
      },
    ],
  },
  {
    title: 'Threads and replies',
    about: 'What people discuss, and answering by mail.',
    fields: [
      { name: 'thread_kinds', label: 'Kinds of threads', kind: 'names' },
      {
        name: 'reply_domain',
        label: 'Domain for replies',
        kind: 'text',
        empty: 'Nobody can reply',
        help: 'Its mails are passed on to /v1/inbound-emails.',
      },
      {
        name: 'reply_event_kind',
        label: 'A reply becomes',
        kind: 'text',
        empty: 'The kind of the thread with _comment_created',
      },
    ],
  },
  {
    title: 'Browsers',
    about: 'Pages with the inbox element.',
    fields: [
      {
        name: 'cors_origins',
        label: 'Origins',
        kind: 'names',
        help: 'Of pages that may call with user tokens, such as https://app.example.com.',
      },
    ],
  },
  {
    title: 'System events',
    about: 'Who hears of it when something is wrong with Carillon itself.',
    fields: [
      {
        name: 'system_event_admins',
        label: 'People to notify',
        kind: 'names',
        help: 'By user id, with the type system_event.',
      },
      {
        name: 'system_event_min_severity',
        label: 'From severity',
        kind: 'choice',
        options: ['low', 'medium', 'high', 'critical'],
      },
    ],
  },
  {
    title: 'Triggers and scripts',
    about: 'What new triggers begin with.',
    fields: [
      {
        name: 'script_http_allowed',
        label: 'Scripts may call other services',
        kind: 'switch',
        help: 'With http.fetch.',
      },
      { name: 'trigger_max_attempts', label: 'Attempts of new triggers', kind: 'number' },
      {
        name: 'trigger_backoff',
        label: 'Waits of new triggers',
        kind: 'choice',
        options: ['exponential', 'linear', 'constant'],
      },
      { name: 'trigger_base_ms', label: 'First wait of new triggers', kind: 'ms' },
    ],
  },
]

export const SETTINGS: SettingName[] = SECTIONS.flatMap(({ fields }) => fields.map(({ name }) => name))
