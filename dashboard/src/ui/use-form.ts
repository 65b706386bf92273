/** The values of a form as they are being changed, beside those that are stored. */
import { useState } from 'react'

export interface Form<Value> {
  value: Value
  change(changes: Partial<Value>): void
  isChanged: boolean
  discard(): void
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Stored meanwhile, here or by somebody else: each field that nobody has touched here follows, so that saving does not undo it. */
export function follow<Value extends object>(value: Value, saved: Value, stored: Value): Value {
  const touched = Object.entries(value).filter(([name, each]) => !isSame(each, saved[name as keyof Value]))
  return { ...stored, ...(Object.fromEntries(touched) as Partial<Value>) }
}

export function useForm<Value extends object>(stored: Value): Form<Value> {
  const [saved, setSaved] = useState(stored)
  const [value, setValue] = useState(stored)
  if (!isSame(stored, saved)) {
    setValue(follow(value, saved, stored))
    setSaved(stored)
  }
  return {
    value,
    isChanged: !isSame(value, saved),
    change: changes => setValue(before => ({ ...before, ...changes })),
    discard: () => setValue(saved),
  }
}
