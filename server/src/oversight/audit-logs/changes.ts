/** What an audit row shows of a change: the fields that differ, never a secret, never more than a screenful. */
import { cut } from '../../platform/text/cut.ts'

export type Values = Record<string, unknown>

export interface Changes {
  old_values: Values | null
  new_values: Values | null
}

const REDACTED = '[redacted]'
/** Names of fields that hold a secret. Names of keys that are none (idempotency_key, key_id) stay readable. */
const SECRET =
  /^(key|api_?key|authorization|credentials?)$|(token|(?<!has_)secrets?|password|passphrase|private_?key)$/i
const LARGEST_BYTES = 32 * 1024
/** Says when, which the row does itself. */
const UNTOLD = new Set(['updated_at'])

/** Whole for what came or went; of what changed, only the fields that are not as they were. */
export function changesBetween(before: unknown, after: unknown): Changes {
  const [old_values, new_values] = [toValues(before), toValues(after)]
  if (old_values === null || new_values === null) {
    return { old_values: toShown(old_values), new_values: toShown(new_values) }
  }
  // Compared as they are: a secret that took the place of another is a change, though both look alike.
  const names = new Set([...Object.keys(old_values), ...Object.keys(new_values)])
  const changed = [...names].filter(
    name => !UNTOLD.has(name) && JSON.stringify(old_values[name]) !== JSON.stringify(new_values[name]),
  )
  return { old_values: toShown(pick(old_values, changed)), new_values: toShown(pick(new_values, changed)) }
}

/** As JSON has it. */
function toValues(value: unknown): Values | null {
  return value === undefined || value === null ? null : JSON.parse(JSON.stringify(value))
}

/** With secrets replaced at any depth. */
function toShown(values: Values | null): Values | null {
  const text = JSON.stringify(values, (name, part) => (isSecret(name, part) ? REDACTED : withoutToken(part)))
  return bound(JSON.parse(text))
}

/**
 * Addresses often carry a key: in the query, where it may stand as a name, before the host, or as a long piece of the
 * path.
 */
function withoutToken(part: unknown): unknown {
  if (typeof part !== 'string' || !/^https?:\/\//i.test(part) || !URL.canParse(part)) return part
  const { protocol, host, pathname, search, username } = new URL(part)
  const path = pathname.split('/').map(piece => (isToken(piece) ? REDACTED : piece))
  const holder = username === '' ? '' : `${REDACTED}@`
  return `${protocol}//${holder}${host}${path.join('/')}${search === '' ? '' : `?${REDACTED}`}`
}

const WORDS = /^[a-z]{1,19}(-[a-z]{1,19})*$/

/** What is so long and not made of words may be a key; so may a UUID, which many services use as one. */
function isToken(piece: string): boolean {
  return piece.length >= 20 && !WORDS.test(piece)
}

/** Whether there is one is no secret. */
function isSecret(name: string, part: unknown): boolean {
  return SECRET.test(name) && part !== null && part !== undefined && typeof part !== 'boolean'
}

function pick(values: Values, names: string[]): Values {
  return Object.fromEntries(names.filter(name => name in values).map(name => [name, values[name]]))
}

/** An audit row is evidence, not a backup: of too much, the names and sizes are kept. */
function bound(values: Values | null): Values | null {
  if (values === null || Buffer.byteLength(JSON.stringify(values)) <= LARGEST_BYTES) return values
  const sizes = Object.entries(values).slice(0, 100)
  return {
    omitted_bytes: Object.fromEntries(
      sizes.map(([name, part]) => [cut(name, 100), Buffer.byteLength(JSON.stringify(part) ?? '')]),
    ),
  }
}
