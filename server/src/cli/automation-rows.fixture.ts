/** Rows about scripts, and what makes them run, as the API returns them. */
import { AbandonedExecution, Run, RunDetail, Schedule, Script, ScriptTest, Trigger } from '@carillon/contract'
import { noon, uuid } from './rows.fixture.ts'

export function aSchedule(fields: Partial<Schedule> = {}): Schedule {
  return Schedule.parse({
    id: uuid(9),
    name: 'Weekly report',
    cron: '0 9 * * 1',
    timezone: 'Europe/Berlin',
    intent: { notification_type: 'report', audience: { kind: 'topic', topic: 'sales' }, payload: {} },
    producer: 'shop',
    is_active: true,
    next_run_at: '2026-02-02T08:00:00Z',
    last_run_at: null,
    last_notification_id: null,
    last_error: '',
    created_at: noon(),
    updated_at: noon(),
    ...fields,
  }) as Schedule
}

/** A cron trigger, unless the fields say otherwise. */
export function aTrigger(fields: object = {}): Trigger {
  const { kind, ...trigger } = {
    id: uuid(9),
    name: 'Daily report',
    kind: 'cron',
    script_id: uuid(7),
    config: { cron: '0 9 * * *', timezone: 'Europe/Berlin', misfire_policy: 'run_once' },
    is_enabled: true,
    dispatch_mode: 'async',
    retry: { max_attempts: 3, backoff: 'exponential', base_ms: 1000 },
    registrant: { user_id: 'ada', api_key_id: null, scopes: ['intents:write'], producers: null },
    created_at: noon(),
    updated_at: noon(),
    ...fields,
  }
  const times = { next_run_at: '2026-02-02T08:00:00Z', last_run_at: null }
  const more = { cron: times, http: { url_hint: 'chk_abcd…' } }[kind as string]
  return Trigger.parse({ kind, ...trigger, ...more })
}

export function aScript(fields: Partial<Script> = {}): Script {
  return Script.parse({
    id: uuid(1),
    name: 'counter',
    description: '',
    version: 2,
    timeout_ms: 10_000,
    cpu_ms: 1000,
    memory_mb: 32,
    source: 'log(event.kind)\n',
    author: 'ada',
    author_scopes: ['admin'],
    created_at: noon(),
    updated_at: noon(1),
    ...fields,
  })
}

export function aScriptTest(fields: Partial<ScriptTest> = {}): ScriptTest {
  return ScriptTest.parse({
    status: 'succeeded',
    failure_kind: null,
    error: '',
    result: null,
    logs: [],
    effects: [],
    duration_ms: 3,
    cpu_ms: 1,
    ...fields,
  })
}

export function aRun(fields: Partial<Run> = {}): Run {
  return Run.parse({
    id: uuid(70),
    script_id: uuid(71),
    script_name: 'restock',
    script_version: 3,
    trigger_id: uuid(72),
    kind: 'kv',
    op: 'update',
    event_id: uuid(73),
    attempt: 1,
    depth: 0,
    ran_as: 'user:ada',
    origin: 'user:bob',
    status: 'succeeded',
    failure_kind: null,
    error: '',
    duration_ms: 12,
    cpu_ms: 3,
    created_at: noon(),
    ...fields,
  })
}

export function aRunDetail(fields: Partial<RunDetail> = {}): RunDetail {
  return RunDetail.parse({
    ...aRun(),
    logs: [{ level: 'info', message: 'ordered\u001b[31m 5' }],
    effects: [
      {
        type: 'notify',
        position: 1,
        notification_type: 'ordered',
        notification_id: uuid(1),
        duplicate: false,
      },
      { type: 'kv_set', collection: 'orders', key: 'last' },
    ],
    result_json: '{"ordered":5}',
    ...fields,
  })
}

export function anAbandonedExecution(fields: Partial<AbandonedExecution> = {}): AbandonedExecution {
  return AbandonedExecution.parse({
    id: uuid(80),
    execution_id: uuid(73),
    script_id: uuid(71),
    inbox_id: uuid(81),
    status_code: 200,
    summary: '{"ordered":5}',
    created_at: noon(),
    ...fields,
  })
}
