/** What PATCH takes: the fields of what PUT takes, each of them optional. */
import { z } from 'zod'

type WithoutDefault<Field> = Field extends z.ZodDefault<infer Inner> ? Inner : Field
type Changes<Shape extends z.ZodRawShape> = z.ZodObject<
  { [Name in keyof Shape]: z.ZodOptional<Extract<WithoutDefault<Shape[Name]>, z.core.SomeType>> },
  z.core.$strict
>

/** Without the defaults: a field that is left out stays as it is, and does not become what it is for a new one. */
export function ChangesOf<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>): Changes<Shape> {
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, withoutDefault(field).optional()])
  return z.strictObject(Object.fromEntries(fields)) as Changes<Shape>
}

function withoutDefault(field: z.core.SomeType): z.ZodType {
  if (!(field instanceof z.ZodDefault)) return field as z.ZodType
  const inner = field.unwrap() as z.ZodType
  return field.description === undefined ? inner : inner.describe(field.description)
}
