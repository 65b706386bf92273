/** An event of each kind to try a script with. */
import type { ScriptEventKind } from '@carillon/contract'

interface Sample {
  op: string
  data: unknown
}

const SAMPLES: Record<ScriptEventKind, Sample> = {
  invoke: { op: '', data: { hello: 'world' } },
  kv: {
    op: 'insert',
    data: {
      collection: 'orders',
      key: 'order-1001',
      value: { total: 1200, currency: 'EUR' },
      version: 1,
      old_value: null,
      old_version: null,
    },
  },
  cron: { op: 'tick', data: { scheduled_at: '2026-01-31T07:30:00.000Z', local: '2026-01-31T08:30' } },
  event: {
    op: 'comment.created',
    data: {
      event_id: '0198c0de-0000-7000-8000-000000000001',
      kind: 'comment.created',
      topic: 'repo:1',
      actor: 'ada',
      thread: null,
      source_kind: 'comment',
      source_id: '42',
      relations: {},
      occurred_at: '2026-01-31T12:00:00.000Z',
      payload: { text: 'Looks good' },
    },
  },
  queue: { op: 'message', data: { queue: 'imports', message: { file: 'customers.csv' } } },
  email: {
    op: 'receive',
    data: {
      from: { address: 'ada@example.com', name: 'Ada' },
      to: [{ address: 'support@example.com', name: '' }],
      cc: [],
      recipients: ['support@example.com'],
      subject: 'My order',
      text: 'Where is it?',
      html: null,
      headers: {},
      message_id: '<1@example.com>',
      date: '2026-01-31T12:00:00.000Z',
      attachments: [],
      truncated: [],
    },
  },
  http: {
    op: 'POST',
    data: { method: 'POST', query: {}, headers: {}, body: '{"order":1001}', json: { order: 1001 } },
  },
  dead_letter: {
    op: 'max_retries_exceeded',
    data: {
      dead_letter: {
        id: '0198c0de-0000-7000-8000-000000000002',
        source_kind: 'route',
        source: 'route',
        op: '',
        notification_id: '0198c0de-0000-7000-8000-000000000003',
        route_id: 'email:user:ada',
        notification_type: 'order_paid',
        channel: 'email',
        recipient_ref: 'user:ada',
        failure_reason: 'max_retries_exceeded',
        failure_classification: 'retry',
        failure_message: 'Connection refused',
        recovery_hint: '',
        attempts: 7,
        max_attempts: 7,
        created_at: '2026-01-31T12:00:00.000Z',
        event: {},
      },
    },
  },
}

export const sampleText = (kind: ScriptEventKind): string =>
  JSON.stringify({ kind, ...SAMPLES[kind] }, null, 2)
