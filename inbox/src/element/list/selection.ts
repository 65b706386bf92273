/** Which rows are selected. It never changes: every step makes another. */

export interface Selection {
  ids: ReadonlySet<string>
  /** Where a range begins, and where it ends so far. */
  from: string | undefined
  to: string | undefined
}

export const NOTHING: Selection = { ids: new Set(), from: undefined, to: undefined }

export function toggle({ ids }: Selection, id: string): Selection {
  const others = new Set(ids)
  if (!others.delete(id)) others.add(id)
  return { ids: others, from: id, to: id }
}

/** Selects up to a row, and no longer what the range had beyond it. Without a beginning, it begins at `active`. */
export function extend(
  selection: Selection,
  order: readonly string[],
  active: string,
  to: string,
): Selection {
  const from = selection.from ?? active
  const ids = new Set(selection.ids)
  for (const id of between(order, from, selection.to ?? from)) ids.delete(id)
  for (const id of between(order, from, to)) ids.add(id)
  return { ids, from, to }
}

export function selectAll(order: readonly string[]): Selection {
  return { ids: new Set(order), from: order[0], to: order.at(-1) }
}

/** Without rows that are gone. */
export function keepOnly(selection: Selection, order: readonly string[]): Selection {
  if (selection.ids.size === 0) return NOTHING
  const there = new Set(order)
  if ([...selection.ids].every(id => there.has(id))) return selection
  const found = (id: string | undefined) => (id !== undefined && there.has(id) ? id : undefined)
  const ids = new Set([...selection.ids].filter(id => there.has(id)))
  return { ids, from: found(selection.from), to: found(selection.to) }
}

function between(order: readonly string[], one: string, other: string): string[] {
  const [from, to] = [order.indexOf(one), order.indexOf(other)].sort((a, b) => a - b) as [number, number]
  return from === -1 ? [] : order.slice(from, to + 1)
}
