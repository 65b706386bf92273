/**
 * The host of one run. What the script wants done is kept here, bounded and checked, and nothing is done before it has
 * succeeded: a script that fails leaves nothing, and a test is a run whose effects are only shown.
 */
import { type Intent, MAX_KV_VALUE_BYTES, type RunLogLine, type ScriptEffect } from '@carillon/contract'
import { checkIntent } from '../../intake/intents/intent.ts'
import { refuseUnusableJson } from '../../platform/calls/json-field.ts'
import { type Arguments, type CallName, isCall, readArguments, refusalOf, type ScopeHolder } from './calls.ts'
import type { FetchedAnswer, ScriptFetch } from './fetch.ts'
import { createRunLog } from './run-log.ts'

const MAX_EFFECTS = 100
const MAX_EFFECT_BYTES = 256 * 1024
/** Finding out what is wrong takes time of the process that all scripts share. */
const MAX_REFUSED_BYTES = 512 * 1024
const MAX_READS = 1000
const MAX_READ_BYTES = 4 * 1024 * 1024

export interface KvRead {
  value_json: string
  version: number
}

/** An entry that the script has seen; version 0: there was none. */
export interface SeenEntry {
  collection: string
  key: string
  version: number
}

export type FatalFailure = 'effects_limit' | 'exception' | 'forbidden'

export interface HostParts {
  /** In whose name it runs; all of them must have the scope of a call. */
  holders: ScopeHolder[]
  /** Whether they may send as this producer. */
  allowsProducer: (producer: string) => boolean
  /** Why they may not leave it out, if so. */
  unnamedProducerRefusal?: string | undefined
  readKv: (collection: string, key: string) => Promise<KvRead | undefined>
  fetch: ScriptFetch
  /** Aborts when the run has ended. */
  signal: AbortSignal
  /** The run cannot succeed any more, whatever the script does. */
  onFatal: (failure: FatalFailure, message: string) => void
}

export interface ScriptHost {
  /** Rejects with what the script shall read. */
  call(name: string, argsJson: string): Promise<string>
}

export interface EffectBuffer extends ScriptHost {
  readonly logs: RunLogLine[]
  readonly effects: ScriptEffect[]
  readonly reads: SeenEntry[]
  /** Whether the message is that of a call which was forbidden. */
  isForbidden(message: string): boolean
}

type Handlers = { [Name in CallName]: (args: Arguments<Name>) => unknown }

export function createEffectBuffer(parts: HostParts): EffectBuffer {
  const log = createRunLog()
  const effects: ScriptEffect[] = []
  const reads = new Map<string, SeenEntry & { value_json: string | undefined }>()
  const written = new Map<string, string | undefined>()
  const forbidden = new Set<string>()
  let effectBytes = 0
  let readBytes = 0
  let refusedBytes = 0
  let notifications = 0

  function add(effect: ScriptEffect): void {
    effectBytes += Buffer.byteLength(JSON.stringify(effect))
    if (effects.length === MAX_EFFECTS) throw fatal(`The script has more than ${MAX_EFFECTS} effects.`)
    if (effectBytes > MAX_EFFECT_BYTES)
      throw fatal(`The effects of the script have more than ${MAX_EFFECT_BYTES} bytes.`)
    effects.push(effect)
  }

  function fatal(message: string): Error {
    parts.onFatal('effects_limit', message)
    return new Error(message)
  }

  function withinRefusals<Result>(argsJson: string, work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      refusedBytes += argsJson.length
      if (refusedBytes <= MAX_REFUSED_BYTES) throw error
      throw fatal(`The calls that were refused have more than ${MAX_REFUSED_BYTES} bytes together.`)
    }
  }

  async function read(collection: string, key: string) {
    const place = placeOf(collection, key)
    const known = reads.get(place)
    if (known !== undefined) return known
    if (reads.size === MAX_READS) throw new Error(`The script has read more than ${MAX_READS} entries.`)
    const found = await parts.readKv(collection, key).catch(() => {
      // What the driver says names hosts and ports, which are not the tenant's to know.
      throw new Error('kv.get: the entry cannot be read right now.')
    })
    // Asked for twice at once: the first answer counts for both.
    const seen = reads.get(place) ?? { collection, key, version: 0, value_json: undefined, ...found }
    reads.set(place, seen)
    readBytes += seen.value_json?.length ?? 0
    if (readBytes > MAX_READ_BYTES) throw new Error(`The script has read more than ${MAX_READ_BYTES} bytes.`)
    return seen
  }

  const isForbidden = (message: string) => [...forbidden].some(each => message.includes(each))

  const handlers: Handlers = {
    log: line => log.add(line),
    unheeded({ message }) {
      const failure = isForbidden(message) ? 'forbidden' : 'exception'
      parts.onFatal(failure, `${message} (in a call that the script does not await)`)
    },
    notify({ intent }) {
      const position = notifications + 1
      add({ type: 'notify', position, intent: toIntent(intent, parts) })
      notifications = position
      return { position }
    },
    async 'kv.get'({ collection, key }) {
      const place = placeOf(collection, key)
      if (written.has(place)) return toEntry(written.get(place), null)
      const { value_json, version } = await read(collection, key)
      return toEntry(value_json, version)
    },
    'kv.set'({ collection, key, value, ttl_seconds }) {
      const value_json = JSON.stringify(value)
      naming('kv.set', () => refuseUnusableJson('value', value_json, MAX_KV_VALUE_BYTES))
      add({ type: 'kv_set', collection, key, value_json, ttl_seconds })
      written.set(placeOf(collection, key), value_json)
    },
    'kv.delete'({ collection, key }) {
      add({ type: 'kv_delete', collection, key })
      written.set(placeOf(collection, key), undefined)
    },
    'deadLetters.replay': ({ id }) => add({ type: 'replay_dead_letter', id }),
    'deadLetters.resolve': ({ id, resolution }) => add({ type: 'resolve_dead_letter', id, resolution }),
    'systemEvents.raise': ({ event }) => add({ type: 'raise_system_event', event }),
    'http.fetch': (request): Promise<FetchedAnswer> => parts.fetch(request, parts.signal),
  }

  return {
    logs: log.lines,
    effects,
    get reads() {
      return [...reads.values()].map(({ collection, key, version }) => ({ collection, key, version }))
    },
    isForbidden,
    // Up to the first await, and so up to keeping an effect, nothing comes in between: their order is that of the calls.
    async call(name, argsJson) {
      if (!isCall(name)) throw new Error(`There is no ${name.slice(0, 100)}.`)
      const refusal = refusalOf(name, parts.holders)
      if (refusal !== undefined) {
        forbidden.add(refusal)
        throw new Error(refusal)
      }
      const handle = handlers[name] as (args: unknown) => unknown
      return JSON.stringify(
        (await withinRefusals(argsJson, () => handle(readArguments(name, argsJson)))) ?? null,
      )
    },
  }
}

const placeOf = (collection: string, key: string): string => `${collection}/${key}`

/** As the script sees it; an entry that the run itself writes has no version yet. */
function toEntry(value_json: string | undefined, version: number | null) {
  return value_json === undefined ? null : { value: JSON.parse(value_json), version }
}

/** Now and not when the effects are written, so that the script fails in the line that is at fault. */
function toIntent(
  given: unknown,
  { allowsProducer, unnamedProducerRefusal }: Pick<HostParts, 'allowsProducer' | 'unnamedProducerRefusal'>,
): Intent {
  const payload = (given as { payload?: unknown } | null)?.payload
  const submitted = { value: given, text: '', payloadText: JSON.stringify(payload) ?? '' }
  const origin = { tenant_id: '', source: 'script', defaultProducer: '', allowsProducer }
  naming('notify', () => {
    checkIntent(submitted, origin)
    if ((given as Intent).producer === undefined && unnamedProducerRefusal !== undefined)
      throw new Error(unnamedProducerRefusal)
  })
  return given as Intent
}

function naming(call: string, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    throw new Error(`${call}: ${(error as Error).message}`)
  }
}
