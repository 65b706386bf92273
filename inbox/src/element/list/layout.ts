/** Where rows and headings are, though only those near the reader exist. */
import type { InboxItem } from '@carillon/sdk'
import type { Group } from '../../client/groups.ts'

/** A place in the list: of a row, or of the heading of a group. */
export interface Slot {
  key: string
  /** The place of its group among the groups. */
  group: number
  /** Undefined for a heading. */
  item: InboxItem | undefined
  /** Of a row among all rows, from 1. */
  position: number
}

export interface Layout {
  slots: readonly Slot[]
  /** The first slot of each group, and the end of all. */
  starts: readonly number[]
  /** The top of each slot, and the end of all. */
  offsets: Float64Array
}

export function layOut(
  groups: readonly Pick<Group, 'key' | 'items'>[],
  hasHeadings: boolean,
  heightOf: (slot: Slot) => number,
): Layout {
  const slots: Slot[] = []
  const starts = [0]
  let position = 0
  groups.forEach(({ key, items }, group) => {
    if (hasHeadings) slots.push({ key: `heading ${key}`, group, item: undefined, position: 0 })
    for (const item of items) slots.push({ key: item.id, group, item, position: ++position })
    starts.push(slots.length)
  })
  return { slots, starts, offsets: offsetsOf(slots, heightOf) }
}

/** Again, when heights are known better. */
export function offsetsOf(slots: readonly Slot[], heightOf: (slot: Slot) => number): Float64Array {
  const offsets = new Float64Array(slots.length + 1)
  for (let i = 0; i < slots.length; i++) offsets[i + 1] = offsets[i]! + heightOf(slots[i]!)
  return offsets
}

/** The slot at a height; the first or last for what is outside. */
export function slotAt(offsets: Float64Array, y: number): number {
  let [low, high] = [0, Math.max(offsets.length - 2, 0)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (offsets[middle]! <= y) low = middle
    else high = middle - 1
  }
  return low
}

/** What is drawn: slots, and empty space in place of those that are not. */
export type Piece = { slot: Slot } | { space: number }

export interface Section {
  group: number
  /** Empty space before it. */
  before: number
  pieces: Piece[]
}

export interface Drawing {
  sections: Section[]
  /** Empty space at the end. */
  after: number
}

/**
 * Draws the slots from `first` to `last`, and those of `kept` wherever they are: what has the focus must not go. Groups of
 * which anything is drawn take their whole height and have their heading, so that it sticks for as long as they last.
 */
export function draw(
  { slots, starts, offsets }: Layout,
  [first, last]: readonly [number, number],
  kept: readonly number[],
): Drawing {
  const indexes = new Set(kept)
  for (let i = first; i <= last && i < slots.length; i++) indexes.add(i)
  const byGroup = new Map<number, number[]>()
  for (const index of [...indexes].sort((one, other) => one - other)) {
    const { group } = slots[index]!
    byGroup.set(group, [...(byGroup.get(group) ?? []), index])
  }
  let end = 0
  const sections = [...byGroup].map(([group, members]) => {
    const [from, to] = [starts[group]!, starts[group + 1]!]
    const needsHeading = slots[from]!.item === undefined && members[0] !== from
    const section = { group, before: offsets[from]! - end, pieces: [] as Piece[] }
    end = offsets[from]!
    for (const index of needsHeading ? [from, ...members] : members) {
      if (offsets[index]! > end) section.pieces.push({ space: offsets[index]! - end })
      section.pieces.push({ slot: slots[index]! })
      end = offsets[index + 1]!
    }
    if (offsets[to]! > end) section.pieces.push({ space: offsets[to]! - end })
    end = offsets[to]!
    return section
  })
  return { sections, after: offsets.at(-1)! - end }
}
