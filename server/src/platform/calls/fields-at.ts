/** The fields that a schema knows at a place, whatever it is wrapped in. */
import type { z } from 'zod'

export function fieldsAt(schema: z.core.$ZodType, path: string[]): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const [key, ...rest] = path
  switch (def.type) {
    case 'object':
      if (key === undefined) return Object.keys(def.shape)
      return Object.hasOwn(def.shape, key) ? fieldsAt(def.shape[key]!, rest) : []
    case 'array':
      return key === undefined ? [] : fieldsAt(def.element, rest)
    case 'record':
      return key === undefined ? [] : fieldsAt(def.valueType, rest)
    case 'union':
      return def.options.flatMap(option => fieldsAt(option, path))
    case 'intersection':
      return [def.left, def.right].flatMap(part => fieldsAt(part, path))
    case 'pipe':
      return [def.in, def.out].flatMap(part => fieldsAt(part, path))
    case 'lazy':
      return fieldsAt(def.getter(), path)
    default:
      return 'innerType' in def ? fieldsAt(def.innerType, path) : []
  }
}
