/** A run that changes nothing: the script sees a sample, and what it wants done is only shown. */
import type { ScriptEvent, ScriptTest, TestScript } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { defaultProducer, mayProduceAs, type Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Sandbox } from '../../platform/sandbox/sandbox.ts'
import type { KvRead } from './effect-buffer.ts'
import { type Execution, executeScript } from './execute.ts'
import { createSampleFetch } from './fetch.ts'
import type { Runnable } from './scripts.ts'

type Sample = Pick<z.output<typeof TestScript>, 'event' | 'responses' | 'kv'>
type ReadKv = (collection: string, key: string) => Promise<KvRead | undefined>

export interface TestParts {
  sandbox: Sandbox
  /** What is stored for the tenant. */
  readKv: ReadKv
}

export async function testScript(
  { sandbox, readKv }: TestParts,
  principal: Principal,
  script: Runnable,
  sample: Sample,
): Promise<ScriptTest> {
  const execution = await executeScript(sandbox, {
    tenantId: principal.tenant_id,
    script,
    event: eventOf(sample.event),
    actor: {
      who: 'the API key',
      scopes: principal.scopes,
      defaultProducer: defaultProducer(principal),
    },
    allowsProducer: producer => mayProduceAs(principal, producer),
    readKv: sample.kv === undefined ? readKv : readSample(sample.kv),
    fetch: createSampleFetch(sample.responses),
  })
  return toTest(execution)
}

function eventOf(given: Sample['event']): ScriptEvent {
  return {
    id: given?.id ?? uuidv7(),
    kind: given?.kind ?? 'invoke',
    op: given?.op ?? '',
    at: given?.at ?? new Date().toISOString(),
    depth: given?.depth ?? 0,
    trigger: given?.trigger ?? null,
    data: given?.data ?? null,
  }
}

function readSample(kv: NonNullable<Sample['kv']>): ReadKv {
  return async (collection, key) => {
    const entries = Object.hasOwn(kv, collection) ? kv[collection]! : {}
    return Object.hasOwn(entries, key) ? { value_json: JSON.stringify(entries[key]), version: 1 } : undefined
  }
}

function toTest(execution: Execution): ScriptTest {
  const { logs, effects } = execution
  if (execution.kind === 'busy') throw notNow()
  const { durationMs, cpuMs } = execution
  const seen = { logs, effects, duration_ms: Math.round(durationMs), cpu_ms: Math.round(cpuMs) }
  if (execution.kind === 'done')
    return {
      status: 'succeeded',
      failure_kind: null,
      error: '',
      result: JSON.parse(execution.resultJson),
      ...seen,
    }
  const { failure, message } = execution
  if (failure === 'stopped') throw notNow()
  return { status: 'failed', failure_kind: failure, error: message, result: null, ...seen }
}

const notNow = () => new Refusal('unavailable', 'Too many scripts are being tested right now.', undefined, 1)
