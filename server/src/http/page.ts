/** Keyset pages: the cursor holds the sort key of the last row, so equal times neither lose nor repeat a row. */
import type { Page } from '@carillon/contract'
import { Refusal } from '../refusal.ts'

export type CursorKey = (string | number)[]

export function encodeCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** The key inside a cursor, or undefined for the first page. Anything we did not give out is refused. */
export function decodeCursor(cursor: string | undefined, length: number): CursorKey | undefined {
  if (cursor === undefined) return undefined
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(key) && key.length === length && key.every(isKeyPart)) return key
  } catch {
    // falls through to the refusal
  }
  throw new Refusal('invalid_cursor', 'Use next_cursor of the page before, unchanged.', [
    { field: 'cursor', message: 'Not a cursor of this list.' },
  ])
}

/** Makes a page of rows read with limit + 1: the extra one only tells that more follow. */
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

const isKeyPart = (part: unknown): boolean => typeof part === 'string' || typeof part === 'number'
