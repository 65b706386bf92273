import type { Trigger } from '@carillon/contract'
import { TRIGGER_CONFIGS, TRIGGER_KINDS } from '@carillon/contract'
import { describe, expect, it } from 'vitest'
import { configOf, newTriggerDraft, triggerDraft, triggerValues } from './trigger-draft.ts'

const filled = {
  ...newTriggerDraft('0198c0de-0000-7000-8000-000000000007', 'Europe/Berlin'),
  name: ' Large orders ',
  collection: 'orders:*',
  event_kind: 'comment.*',
  queue: 'imports',
  address: 'support@example.com',
}

describe('a new trigger', () => {
  it.each(TRIGGER_KINDS)('of the kind %s has the configuration that the API expects', kind => {
    expect(TRIGGER_CONFIGS[kind].safeParse(configOf(kind, filled)).error).toBeUndefined()
  })

  it('leaves to the tenant what was left empty', () => {
    expect(triggerValues('queue', filled)).toEqual({
      name: 'Large orders',
      script_id: filled.script_id,
      config: { queue: 'imports' },
      retry: {},
    })
  })

  it('says whether callers wait, for http alone', () => {
    expect(triggerValues('http', { ...filled, is_sync: true })).toMatchObject({ dispatch_mode: 'sync' })
    expect(triggerValues('kv', { ...filled, is_sync: true })).not.toHaveProperty('dispatch_mode')
  })
})

it('is sent as it was if nothing is changed', () => {
  const trigger = {
    kind: 'dead_letter',
    name: 'Given up',
    script_id: 'a',
    config: { source: 'webhook', trigger_id: null, script_id: 'b' },
    dispatch_mode: 'async',
    retry: { max_attempts: 2, backoff: 'linear', base_ms: 1500 },
  } as Trigger
  expect(triggerValues('dead_letter', triggerDraft(trigger))).toEqual({
    name: 'Given up',
    script_id: 'a',
    config: trigger.config,
    retry: trigger.retry,
  })
})
