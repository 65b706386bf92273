/** Where a popover goes: under what opened it, or above it if there is more room, and never outside the window. */

export interface Box {
  left: number
  top: number
  width: number
  height: number
}

export interface Room {
  width: number
  height: number
}

export interface Wanted extends Room {
  /** Which edges line up: `end` is the right one where text runs to the right. */
  align: 'start' | 'end'
  direction: 'ltr' | 'rtl'
  gap: number
}

const MARGIN = 8

export function place(anchor: Box, wanted: Wanted, room: Room): Box {
  const width = Math.min(wanted.width, room.width - 2 * MARGIN)
  const below = room.height - anchor.top - anchor.height - wanted.gap - MARGIN
  const above = anchor.top - wanted.gap - MARGIN
  const isBelow = below >= wanted.height || below >= above
  const height = Math.min(wanted.height, Math.max(isBelow ? below : above, 0))
  const alignsRight = (wanted.align === 'end') === (wanted.direction === 'ltr')
  const left = alignsRight ? anchor.left + anchor.width - width : anchor.left
  return {
    left: clamp(left, MARGIN, room.width - width - MARGIN),
    top: isBelow ? anchor.top + anchor.height + wanted.gap : anchor.top - wanted.gap - height,
    width,
    height,
  }
}

const clamp = (value: number, from: number, to: number): number => Math.max(from, Math.min(value, to))
