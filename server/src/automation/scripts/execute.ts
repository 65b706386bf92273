/** One run of a script in the sandbox, up to what it wants done: writing that is for the caller. */
import type { RunLogLine, ScriptEffect, ScriptEvent } from '@carillon/contract'
import { isDefaultProducer } from '../../platform/calls/principal.ts'
import type { Sandbox, SandboxFailureKind, SandboxOutcome } from '../../platform/sandbox/sandbox.ts'
import { storable } from '../../platform/text/cut.ts'
import type { ScopeHolder } from './calls.ts'
import { createEffectBuffer, type FatalFailure, type HostParts, type SeenEntry } from './effect-buffer.ts'
import { PRELUDE } from './prelude.ts'
import type { Runnable } from './scripts.ts'

const MAX_RESULT_BYTES = 64 * 1024
/** As many characters as are stored with a run. */
const MAX_ERROR_LENGTH = 4000

export interface ExecutionOptions extends Pick<HostParts, 'readKv' | 'fetch' | 'allowsProducer'> {
  tenantId: string
  script: Runnable
  event: ScriptEvent
  /** As whom it runs: whoever registered the trigger, or the caller. It may do only what its author could do too. */
  actor: ScopeHolder & { defaultProducer: string }
  /** 64 KiB by default. */
  maxResultBytes?: number
  signal?: AbortSignal
}

export type ExecutionFailure = SandboxFailureKind | 'effects_limit' | 'forbidden'

export type ExecutionOutcome =
  | Extract<SandboxOutcome, { kind: 'done' | 'busy' }>
  | (Omit<Extract<SandboxOutcome, { kind: 'failed' }>, 'failure'> & { failure: ExecutionFailure })

export type Execution = ExecutionOutcome & {
  logs: RunLogLine[]
  /** To be written only if it is done; of a run that failed, what it wanted until then. */
  effects: ScriptEffect[]
  /** What it has read, with the versions that must still be there when the effects are written. */
  reads: SeenEntry[]
}

export function authorOf({ version, author_scopes }: Runnable): ScopeHolder {
  return { who: `the author of version ${version}`, scopes: author_scopes }
}

/**
 * Why a notification has to name its producer: else it is sent as that of the actor, and the author may not. Between those
 * whose keys list none, that is no privilege.
 */
function unnamedProducerRefusal(script: Runnable, producer: string): string | undefined {
  const { author_producers: listed, version } = script
  if (listed === null || listed.includes(producer)) return undefined
  if (isDefaultProducer(producer) && listed.every(isDefaultProducer)) return undefined
  return `producer: Without one it is sent as "${producer}", which the author of version ${version} may not.`
}

export async function executeScript(sandbox: Sandbox, options: ExecutionOptions): Promise<Execution> {
  const { script, actor, event } = options
  const end = new AbortController()
  const stop = new AbortController()
  let fatal: { failure: FatalFailure; message: string } | undefined
  const buffer = createEffectBuffer({
    ...options,
    holders: [authorOf(script), actor],
    allowsProducer: producer =>
      options.allowsProducer(producer) && (script.author_producers?.includes(producer) ?? true),
    unnamedProducerRefusal: unnamedProducerRefusal(script, actor.defaultProducer),
    signal: end.signal,
    onFatal(failure, message) {
      fatal ??= { failure, message }
      stop.abort()
    },
  })
  const outcome = await sandbox.run({
    owner: options.tenantId,
    name: `${script.name}.js`,
    source: script.source,
    prelude: PRELUDE,
    inputJson: JSON.stringify(event),
    limits: {
      wallMs: script.limits.timeout_ms,
      cpuMs: script.limits.cpu_ms,
      memoryBytes: script.limits.memory_mb * 1024 * 1024,
      maxResultBytes: options.maxResultBytes ?? MAX_RESULT_BYTES,
    },
    call: buffer.call,
    signal: options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]),
  })
  end.abort()
  return { ...judge(outcome), logs: buffer.logs, effects: buffer.effects, reads: buffer.reads }

  /** The sandbox knows only that a call failed; what it meant is known here. */
  function judge(ended: SandboxOutcome): ExecutionOutcome {
    if (ended.kind === 'busy') return ended
    const { cpuMs, durationMs } = ended
    const failed = (failure: ExecutionFailure, message: string): ExecutionOutcome => ({
      kind: 'failed',
      failure,
      message: storable(message, MAX_ERROR_LENGTH, 'characters'),
      cpuMs,
      durationMs,
    })
    if (fatal !== undefined) return failed(fatal.failure, fatal.message)
    if (ended.kind === 'done') return ended
    const isForbidden = ended.failure === 'exception' && buffer.isForbidden(ended.message)
    return failed(isForbidden ? 'forbidden' : ended.failure, ended.message)
  }
}
