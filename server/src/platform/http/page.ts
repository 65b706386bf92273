/** Keyset pages: the cursor holds the whole sort key of the last row, so equal times neither lose nor repeat a row. */
import { type Page, Timestamp } from '@carillon/contract'
import { z } from 'zod'
import { Refusal } from '../calls/refusal.ts'

export type CursorKey = (string | number)[]

export function encodeCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** Checks for the parts of a sort key; a part of the wrong kind would reach the database and fail there. */
const PARTS = {
  integer: (part: unknown) => typeof part === 'string' && /^[0-9]{1,18}$/.test(part),
  text: (part: unknown) => typeof part === 'string' && !part.includes('\u0000'),
  time: (part: unknown) => Timestamp.safeParse(part).success,
  uuid: (part: unknown) => z.uuid().safeParse(part).success,
}
type CursorPart = keyof typeof PARTS

/** The key inside a cursor, or undefined for the first page. Refuses anything we cannot have given out. */
export function decodeCursor(cursor: string | undefined, parts: CursorPart[]): CursorKey | undefined {
  if (cursor === undefined) return undefined
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const fits =
      Array.isArray(key) && key.length === parts.length && parts.every((part, i) => PARTS[part](key[i]))
    if (fits) return key
  } catch {
    // Refused below.
  }
  throw new Refusal('invalid_cursor', 'Use the next_cursor of the previous page, unchanged.', [
    { field: 'cursor', message: 'Not a cursor of this list.' },
  ])
}

/** Makes a page from rows read with limit + 1: the extra row only shows that more follow. */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => CursorKey,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(toItem),
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null,
  }
}
