/** For what is put together from a call and what is stored: checked as if the call had contained all of it. */
import type { z } from 'zod'
import { fieldErrors } from './field-errors.ts'
import { Refusal } from './refusal.ts'

export function parseOrRefuse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const errors = fieldErrors(parsed.error, value, schema)
  throw new Refusal('invalid_request', `${errors[0]?.field}: ${errors[0]?.message}`, errors)
}
