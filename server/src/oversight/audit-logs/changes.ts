/** What an audit row shows of a change: the fields that differ, never a secret, never more than a screenful. */
import { cut } from '../../platform/text/cut.ts'

export type Values = Record<string, unknown>

export interface Changes {
  old_values: Values | null
  new_values: Values | null
}

const REDACTED = '[redacted]'
/** Names of fields that hold a secret. Keys that are not secret (idempotency_key, key_id) stay readable. */
const SECRET =
  /^(key|api_?key|authorization|credentials?)$|(token|(?<!has_)secrets?|password|passphrase|private_?key)$/i
const MAX_BYTES = 32 * 1024
/** Left out: the audit row has its own time. */
const OMITTED_FIELDS = new Set(['updated_at'])

/** All fields of what was created or deleted; of what was changed, only the fields that differ. */
export function changesBetween(before: unknown, after: unknown): Changes {
  const [old_values, new_values] = [toValues(before), toValues(after)]
  if (old_values === null || new_values === null) {
    return { old_values: redact(old_values), new_values: redact(new_values) }
  }
  // Compared before redacting: replacing one secret by another is a change, though both look alike when redacted.
  const names = new Set([...Object.keys(old_values), ...Object.keys(new_values)])
  const changed = [...names].filter(
    name =>
      !OMITTED_FIELDS.has(name) && JSON.stringify(old_values[name]) !== JSON.stringify(new_values[name]),
  )
  return { old_values: redact(pick(old_values, changed)), new_values: redact(pick(new_values, changed)) }
}

/** The value as JSON represents it. */
function toValues(value: unknown): Values | null {
  return value === undefined || value === null ? null : JSON.parse(JSON.stringify(value))
}

/** Replaces secrets at any depth, and limits the size. */
function redact(values: Values | null): Values | null {
  const text = JSON.stringify(values, (name, part) => (isSecret(name, part) ? REDACTED : redactUrl(part)))
  return limitSize(JSON.parse(text))
}

/** URLs often contain a key: in the query (even as a parameter's name), before the host, or as a long path segment. */
function redactUrl(part: unknown): unknown {
  if (typeof part !== 'string' || !/^https?:\/\//i.test(part) || !URL.canParse(part)) return part
  const { protocol, host, pathname, search, username } = new URL(part)
  const path = pathname.split('/').map(segment => (mayBeToken(segment) ? REDACTED : segment))
  const credentials = username === '' ? '' : `${REDACTED}@`
  return `${protocol}//${credentials}${host}${path.join('/')}${search === '' ? '' : `?${REDACTED}`}`
}

const WORDS = /^[a-z]{1,19}(-[a-z]{1,19})*$/

/** Anything that long and not made of words may be a key; so may a UUID, which many services use as one. */
function mayBeToken(segment: string): boolean {
  return segment.length >= 20 && !WORDS.test(segment)
}

/** Booleans and null stay readable: whether a secret is set is not itself a secret. */
function isSecret(name: string, part: unknown): boolean {
  return SECRET.test(name) && part !== null && part !== undefined && typeof part !== 'boolean'
}

function pick(values: Values, names: string[]): Values {
  return Object.fromEntries(names.filter(name => name in values).map(name => [name, values[name]]))
}

/** An audit row is evidence, not a backup: of values that are too large, only names and sizes are kept. */
function limitSize(values: Values | null): Values | null {
  if (values === null || Buffer.byteLength(JSON.stringify(values)) <= MAX_BYTES) return values
  const sizes = Object.entries(values).slice(0, 100)
  return {
    omitted_bytes: Object.fromEntries(
      sizes.map(([name, part]) => [cut(name, 100), Buffer.byteLength(JSON.stringify(part) ?? '')]),
    ),
  }
}
