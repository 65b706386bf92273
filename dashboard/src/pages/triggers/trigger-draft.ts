/** The form of a trigger, and what it sends. */
import type { Trigger, TriggerKind } from '@carillon/contract'
import { numberOf, numberText } from '../../ui/number-text.ts'

export interface TriggerDraft {
  name: string
  script_id: string
  /** The fields of all kinds; only those of the trigger's own kind are sent. */
  collection: string
  ops: ('insert' | 'update' | 'delete')[]
  cron: string
  timezone: string
  misfire_policy: 'run_once' | 'run_all' | 'skip'
  event_kind: string
  topic: string
  queue: string
  address: string
  methods: ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[]
  source: string
  trigger_id: string
  failed_script_id: string
  is_sync: boolean
  max_attempts: string
  backoff: '' | 'exponential' | 'linear' | 'constant'
  base_seconds: string
}

/** Where the API's errors are shown. */
export const TRIGGER_FIELDS = [
  'name',
  'script_id',
  'config.collection',
  'config.ops',
  'config.cron',
  'config.timezone',
  'config.misfire_policy',
  'config.event_kind',
  'config.topic',
  'config.queue',
  'config.address',
  'config.methods',
  'config.source',
  'config.trigger_id',
  'config.script_id',
  'dispatch_mode',
  'retry.max_attempts',
  'retry.backoff',
  'retry.base_ms',
]

const EMPTY: TriggerDraft = {
  name: '',
  script_id: '',
  collection: '',
  ops: [],
  cron: '0 9 * * 1-5',
  timezone: 'UTC',
  misfire_policy: 'run_once',
  event_kind: '',
  topic: '',
  queue: '',
  address: '',
  methods: ['POST'],
  source: '',
  trigger_id: '',
  failed_script_id: '',
  is_sync: false,
  max_attempts: '',
  backoff: '',
  base_seconds: '',
}

export const newTriggerDraft = (scriptId: string, timezone: string): TriggerDraft => ({
  ...EMPTY,
  script_id: scriptId,
  timezone,
})

export function triggerDraft(trigger: Trigger): TriggerDraft {
  const { script_id: failedScriptId, ...config } = trigger.config as Record<string, unknown>
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null))
  return {
    ...EMPTY,
    ...given,
    name: trigger.name,
    script_id: trigger.script_id,
    failed_script_id: typeof failedScriptId === 'string' ? failedScriptId : '',
    is_sync: trigger.dispatch_mode === 'sync',
    max_attempts: numberText(trigger.retry.max_attempts),
    backoff: trigger.retry.backoff,
    base_seconds: numberText(trigger.retry.base_ms / 1000),
  }
}

const orNull = (text: string): string | null => text.trim() || null

export function configOf(kind: TriggerKind, draft: TriggerDraft): Record<string, unknown> {
  switch (kind) {
    case 'kv':
      return { collection: draft.collection.trim(), ops: draft.ops }
    case 'cron':
      return {
        cron: draft.cron.trim(),
        timezone: draft.timezone.trim(),
        misfire_policy: draft.misfire_policy,
      }
    case 'event':
      return { event_kind: draft.event_kind.trim(), topic: orNull(draft.topic) }
    case 'queue':
      return { queue: draft.queue.trim() }
    case 'email':
      return { address: draft.address.trim() }
    case 'http':
      return { methods: draft.methods }
    case 'dead_letter':
      return {
        source: orNull(draft.source),
        trigger_id: orNull(draft.trigger_id),
        script_id: orNull(draft.failed_script_id),
      }
  }
}

/** What is left empty is taken from the tenant's settings. */
function retryOf({ max_attempts, backoff, base_seconds }: TriggerDraft) {
  const attempts = numberOf(max_attempts)
  const seconds = numberOf(base_seconds)
  return {
    ...(attempts !== null && { max_attempts: attempts }),
    ...(backoff !== '' && { backoff }),
    ...(seconds !== null && {
      base_ms: typeof seconds === 'number' ? Math.round(seconds * 1000) : seconds,
    }),
  }
}

export const triggerValues = (kind: TriggerKind, draft: TriggerDraft) => ({
  name: draft.name.trim(),
  // Nothing chosen is left out, so that the API says that it is required.
  ...(draft.script_id && { script_id: draft.script_id }),
  config: configOf(kind, draft),
  ...(kind === 'http' && { dispatch_mode: draft.is_sync ? ('sync' as const) : ('async' as const) }),
  retry: retryOf(draft),
})
