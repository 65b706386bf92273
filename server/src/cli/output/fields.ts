/** One item in full: names on the left, values on the right, empty values left out. */

import type { Colors } from './colors.ts'
import { printable } from './printable.ts'

export type Field = [name: string, value: string | number | null]

export function renderFields(fields: Field[], colors: Colors): string {
  const shown = fields.filter(([, value]) => value !== null && value !== '')
  const widest = Math.max(...shown.map(([name]) => name.length))
  return shown
    .map(([name, value]) => `${colors.dim(name.padEnd(widest))}  ${printable(String(value))}`)
    .join('\n')
}
