/** A JSON Schema as the fields of a form, and what was typed there as JSON again. */
import { numberOf } from '../../ui/number-text.ts'
import { type Pairs, recordOf } from '../../ui/pairs.ts'

export type FieldKind = 'text' | 'lines' | 'number' | 'switch' | 'choice' | 'pairs' | 'json'

export interface SchemaField {
  name: string
  /** As the API calls it in its errors, such as config.host. */
  path: string
  label: string
  help: string
  kind: FieldKind
  isRequired: boolean
  isSecret: boolean
  /** Of the input, for the keyboard of a phone. */
  inputType: 'text' | 'url' | 'email' | 'password'
  options: string[]
  default: unknown
  min?: number
  max?: number
}

export type DraftValue = string | boolean | Pairs
export type SchemaDraft = Record<string, DraftValue>

interface Schema {
  type?: string
  format?: string
  enum?: unknown[]
  default?: unknown
  description?: string
  title?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  additionalProperties?: Schema | boolean
}

/** What must be given stands first; otherwise the order is that of the schema. */
export function fieldsOf(schema: Record<string, unknown>, place: 'config' | 'secrets'): SchemaField[] {
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const required = (schema.required ?? []) as string[]
  const fields = Object.entries(properties).map(([name, property]): SchemaField => {
    const isSecret = place === 'secrets'
    const kind = kindOf(name, property)
    return {
      name,
      path: `${place}.${name}`,
      label: property.title ?? labelOf(name),
      help: helpOf(property),
      kind,
      isRequired: required.includes(name),
      isSecret,
      inputType: isSecret ? 'password' : inputTypeOf(property.format),
      options: (property.enum ?? []).map(String),
      default: property.default,
      ...(property.minimum !== undefined && { min: property.minimum }),
      ...(property.maximum !== undefined && { max: property.maximum }),
    }
  })
  return [...fields.filter(field => field.isRequired), ...fields.filter(field => !field.isRequired)]
}

function kindOf(name: string, { type, enum: options, additionalProperties, ...schema }: Schema): FieldKind {
  if (options !== undefined) return 'choice'
  if (type === 'boolean') return 'switch'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'object')
    return typeof additionalProperties === 'object' && additionalProperties.type === 'string'
      ? 'pairs'
      : 'json'
  if (type !== 'string') return 'json'
  return isLong(name, schema) ? 'lines' : 'text'
}

/** Keys and files have several lines, which a field of one line would lose. */
const isLong = (name: string, { description = '', format, maxLength = 0 }: Schema): boolean =>
  format === undefined &&
  (/(^|_)(private_key|public_key|service_account|body)$/.test(name) ||
    /\b(file|PEM)\b/.test(description) ||
    (maxLength > 4000 && !name.endsWith('url')))

function inputTypeOf(format: string | undefined): SchemaField['inputType'] {
  if (format === 'uri') return 'url'
  return format === 'email' ? 'email' : 'text'
}

function helpOf({ description = '', minimum, maximum }: Schema): string {
  const text = description === '' || /[.?]$/.test(description) ? description : `${description}.`
  const bounds =
    minimum !== undefined && maximum !== undefined
      ? `From ${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}.`
      : ''
  return [text, bounds].filter(Boolean).join(' ')
}

const SHORT = new Set(['api', 'id', 'url', 'sid', 'arn', 'tls', 'dkim', 'ttl', 'smtp', 'http'])

/** api_key → API key. */
export function labelOf(name: string): string {
  const words = name.split('_').map(word => (SHORT.has(word) ? word.toUpperCase() : word))
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What the form shows at first: what is set, or what is taken if nothing is. */
export function draftOf(fields: SchemaField[], values: Record<string, unknown>): SchemaDraft {
  return Object.fromEntries(
    fields.map(field => [field.name, shownValue(field.kind, values[field.name] ?? field.default)]),
  )
}

function shownValue(kind: FieldKind, value: unknown): DraftValue {
  if (kind === 'switch') return value === true
  if (kind === 'pairs') return Object.entries((value ?? {}) as Record<string, string>)
  if (value === undefined || value === null) return ''
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

/** What is sent: fields in which nothing was typed are left out. */
export function valuesOf(fields: SchemaField[], draft: SchemaDraft): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const value = sentValue(kind, draft[name] ?? '')
    if (value !== undefined) values[name] = value
  }
  return values
}

function sentValue(kind: FieldKind, value: DraftValue): unknown {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return recordOf(value)
  if (value.trim() === '') return undefined
  if (kind === 'number') return numberOf(value)
  return kind === 'json' ? jsonOr(value) : value
}

/** Text that is no JSON is refused by the API, at its field. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
