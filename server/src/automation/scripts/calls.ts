/** What a script can ask of its host: the name of each call, the scope it needs, and the shape of its arguments. */
import {
  KvCollectionName,
  KvEntryInput,
  KvKey,
  type Scope,
  type ScriptEventKind,
  ScriptSystemEvent,
} from '@carillon/contract'
import { z } from 'zod'
import { fieldErrors } from '../../platform/calls/field-errors.ts'
import { isPermitted } from '../../platform/calls/principal.ts'
import { hasUnstorableEscape, isDeeperThan } from '../../platform/text/json-text.ts'

const MAX_ARGUMENT_BYTES = 256 * 1024
/** The payload of an intent may have 100 levels. */
const MAX_DEPTH = 102

const Place = z.strictObject({ collection: KvCollectionName, key: KvKey })
const Value = z.unknown().refine(value => value !== undefined, 'Expected a value that JSON can express.')
const Letter = z.strictObject({ id: z.uuid() })

export const CALLS = {
  log: z.strictObject({ level: z.enum(['info', 'warn', 'error']), message: z.string() }),
  /** A call of the script failed, and nothing in it waits for the answer. */
  unheeded: z.strictObject({ message: z.string() }),
  // checked by the rules of intake
  notify: z.strictObject({ intent: z.unknown() }),
  'kv.get': Place,
  'kv.set': Place.extend({
    value: Value,
    ttl_seconds: KvEntryInput.shape.ttl_seconds.unwrap().nullable(),
  }),
  'kv.delete': Place,
  'deadLetters.replay': Letter,
  'deadLetters.resolve': Letter.extend({ resolution: z.enum(['ignored', 'handled_by_script']) }),
  'systemEvents.raise': z.strictObject({ event: ScriptSystemEvent }),
  'http.fetch': z.strictObject({
    url: z.string().max(2000),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
    headers: z.record(z.string().max(100), z.string().max(8192)).default({}),
    body: z.string('Expected text, such as JSON.stringify(…).').optional(),
    timeout_ms: z.number().int().min(1).max(10_000).default(10_000),
  }),
} as const satisfies Record<string, z.ZodType>

export type CallName = keyof typeof CALLS
export type Arguments<Name extends CallName> = z.output<(typeof CALLS)[Name]>

/** Their text is made storable where it is kept. */
const CLEANED = new Set<CallName>(['log', 'unheeded'])

/** http.fetch needs none: the tenant decides about it as a whole. */
const NEEDED_SCOPES: Partial<Record<CallName, Scope>> = {
  notify: 'intents:write',
  'kv.get': 'kv:read',
  'kv.set': 'kv:write',
  'kv.delete': 'kv:write',
  'deadLetters.replay': 'dead_letters:write',
  'deadLetters.resolve': 'dead_letters:write',
  'systemEvents.raise': 'system_events:write',
}

/** Their events show what nobody else can read without the scope, and a script may log it, or give it back. */
const SEEING_SCOPES: Partial<Record<ScriptEventKind, Scope>> = {
  kv: 'kv:read',
  dead_letter: 'dead_letters:read',
}

export function isCall(name: string): name is CallName {
  return Object.hasOwn(CALLS, name)
}

/** Somebody in whose name a script runs. */
export interface ScopeHolder {
  /** As in "which … does not have". */
  who: string
  scopes: readonly Scope[]
}

/** Why the call is forbidden, if it is: everybody in whose name the script runs must have its scope. */
export function refusalOf(name: CallName, holders: ScopeHolder[]): string | undefined {
  const scope = NEEDED_SCOPES[name]
  if (scope === undefined) return undefined
  const lacking = holders.find(holder => !isPermitted(holder, scope))
  return lacking && `${name} needs the scope "${scope}", which ${lacking.who} does not have.`
}

/** Why nobody may show the script an event of this kind, if so. */
export function refusalToSee(kind: ScriptEventKind, holders: ScopeHolder[]): string | undefined {
  const scope = SEEING_SCOPES[kind]
  const lacking = scope && holders.find(holder => !isPermitted(holder, scope))
  return (
    lacking &&
    `An event of the kind "${kind}" needs the scope "${scope}", which ${lacking.who} does not have.`
  )
}

/** Throws an Error that names the field at fault. */
export function readArguments<Name extends CallName>(name: Name, argsJson: string): Arguments<Name> {
  if (Buffer.byteLength(argsJson) > MAX_ARGUMENT_BYTES)
    throw new Error(`${name}: the arguments have more than ${MAX_ARGUMENT_BYTES} bytes.`)
  if (isDeeperThan(MAX_DEPTH, argsJson))
    throw new Error(`${name}: the arguments are nested more than ${MAX_DEPTH} levels deep.`)
  if (!CLEANED.has(name) && hasUnstorableEscape(argsJson))
    throw new Error(`${name}: text with \\u0000 or an unpaired surrogate cannot be stored.`)
  const given: unknown = JSON.parse(argsJson)
  const parsed = CALLS[name].safeParse(given)
  if (parsed.success) return parsed.data as Arguments<Name>
  const [first] = fieldErrors(parsed.error, given, CALLS[name])
  throw new Error(`${name}: ${first?.field}: ${first?.message}`)
}
