/** Answers are exactly their schema: a field that the schema does not name is never sent. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

export type Serializer = (data: unknown) => string

/** Takes away what the schema does not name. It checks no values: a wrong one is better shown than hidden behind a 500. */
type Trimmer = (value: unknown) => unknown

const asItIs: Trimmer = value => value
const trimmers = new WeakMap<z.core.$ZodType, Trimmer>()

export function createSerializer(schema: z.core.$ZodType): Serializer {
  const trim = trimmerOf(schema)
  return data => JSON.stringify(trim(data))
}

/** An answer with more, less or something else than its schema says. Only tests look. */
export class WrongAnswerError extends Error {
  override name = 'WrongAnswerError'
}

/** Refuses what the schema would change, a column too many as well as a field that only a default would fill in. */
export function createCheckedSerializer(schema: z.ZodType, of: string): Serializer {
  const serialize = createSerializer(schema)
  return data => {
    const meant: unknown = JSON.parse(JSON.stringify(data))
    refuseDifference(schema, meant, of)
    const text = serialize(data)
    if (isDeepStrictEqual(JSON.parse(text), meant)) return text
    throw new WrongAnswerError(`${of} would be sent as ${text}, not as ${JSON.stringify(meant)}`)
  }
}

/** For what is written elsewhere, such as the bodies of webhooks that SQL makes. */
export function refuseDifference(schema: z.ZodType, value: unknown, of: string): void {
  const parsed = schema.safeParse(value)
  if (parsed.success && isDeepStrictEqual(parsed.data, value)) return
  const reason = parsed.success
    ? `its schema makes of it ${JSON.stringify(parsed.data)}`
    : z.prettifyError(parsed.error)
  throw new WrongAnswerError(`${of} is not its schema: ${JSON.stringify(value)}; ${reason}`)
}

function trimmerOf(schema: z.core.$ZodType): Trimmer {
  const known = trimmers.get(schema)
  if (known !== undefined) return known
  const trimmer = makeTrimmer(schema)
  trimmers.set(schema, trimmer)
  return trimmer
}

/** Of the kinds that answers are made of; another one must first be given a meaning here. */
function makeTrimmer(schema: z.core.$ZodType): Trimmer {
  if (schema instanceof z.ZodObject) return trimObject(schema)
  if (schema instanceof z.ZodArray) return trimArray(trimmerOf(schema.element))
  if (schema instanceof z.ZodRecord) return trimRecord(schema)
  if (schema instanceof z.ZodDiscriminatedUnion) return trimVariant(schema)
  if (schema instanceof z.ZodUnion && schema.options.every(option => trimmerOf(option) === asItIs))
    return asItIs
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return trimmerOf(schema.def.innerType)
  if (PLAIN.has(schema._zod.def.type)) return asItIs
  throw new Error(`an answer cannot hold a schema of the kind ${schema._zod.def.type}`)
}

const PLAIN = new Set<z.core.$ZodType['_zod']['def']['type']>([
  'string',
  'number',
  'boolean',
  'null',
  'enum',
  'literal',
  'unknown',
])

function trimObject({ shape }: z.ZodObject): Trimmer {
  const fields = Object.entries(shape).map(([name, field]) => ({ name, trim: trimmerOf(field) }))
  return value => {
    if (!isObject(value)) return value
    const trimmed: Record<string, unknown> = {}
    for (const { name, trim } of fields) trimmed[name] = trim(value[name])
    return trimmed
  }
}

function trimArray(trim: Trimmer): Trimmer {
  if (trim === asItIs) return asItIs
  return value => (Array.isArray(value) ? value.map(trim) : value)
}

function trimRecord({ keyType, valueType }: z.ZodRecord): Trimmer {
  const trim = trimmerOf(valueType)
  const names = keyType instanceof z.ZodEnum ? new Set<unknown>(keyType.options) : undefined
  if (names === undefined && trim === asItIs) return asItIs
  return value => {
    if (!isObject(value)) return value
    const named = Object.entries(value).filter(([name]) => names?.has(name) ?? true)
    return Object.fromEntries(named.map(([name, entry]) => [name, trim(entry)]))
  }
}

function trimVariant({ def }: z.ZodDiscriminatedUnion): Trimmer {
  const variants = new Map<unknown, Trimmer>()
  for (const option of def.options)
    for (const name of option._zod.propValues?.[def.discriminator] ?? [])
      variants.set(name, trimmerOf(option))
  return value => {
    if (!isObject(value)) return value
    const trim = variants.get(value[def.discriminator])
    return trim === undefined ? {} : trim(value)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
