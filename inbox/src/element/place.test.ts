import { expect, it } from 'vitest'
import { place } from './place.ts'

const ROOM = { width: 1000, height: 800 }
const WANTED = { width: 400, height: 560, align: 'end', direction: 'ltr', gap: 8 } as const
const bell = (left: number, top: number) => ({ left, top, width: 36, height: 36 })

it('lines up with the end of what opened it, below it', () => {
  expect(place(bell(900, 10), WANTED, ROOM)).toEqual({ left: 536, top: 54, width: 400, height: 560 })
})

it('lines up on the other side where text runs to the left', () => {
  expect(place(bell(60, 10), { ...WANTED, direction: 'rtl' }, ROOM)).toMatchObject({ left: 60, top: 54 })
})

it('stays inside the window on both sides', () => {
  expect(place(bell(10, 10), WANTED, ROOM).left).toBe(8)
  expect(place(bell(950, 10), { ...WANTED, direction: 'rtl' }, ROOM).left).toBe(592)
})

it('goes above where there is more room, and becomes lower rather than leave the window', () => {
  expect(place(bell(900, 700), WANTED, ROOM)).toMatchObject({ top: 132, height: 560 })
  expect(place(bell(900, 300), WANTED, { width: 1000, height: 600 })).toMatchObject({ top: 8, height: 284 })
})

it('becomes narrower in a window that has no room for it', () => {
  expect(place(bell(300, 10), WANTED, { width: 360, height: 800 })).toMatchObject({ left: 8, width: 344 })
})
