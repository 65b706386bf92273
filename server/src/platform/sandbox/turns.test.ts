import { expect, test } from 'vitest'
import { createTurns, type Turns } from './turns.ts'

function addAll(turns: Turns<string>, ...items: string[]): void {
  for (const item of items) turns.add(item[0]!, item)
}

function takeAll(turns: Turns<string>): string[] {
  const taken: string[] = []
  for (let next = turns.take(); next !== undefined; next = turns.take()) taken.push(next.item)
  return taken
}

test('an owner alone uses all slots, first come, first served', () => {
  const turns = createTurns<string>(3, 100)
  addAll(turns, 'a1', 'a2', 'a3', 'a4')
  expect(takeAll(turns)).toEqual(['a1', 'a2', 'a3'])
  turns.finish('a')
  expect(takeAll(turns)).toEqual(['a4'])
})

test('owners take turns, however much one has waiting', () => {
  const turns = createTurns<string>(1, 100)
  addAll(turns, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1')
  const order: string[] = []
  for (let next = turns.take(); next !== undefined; next = turns.take()) {
    order.push(next.item)
    turns.finish(next.owner)
  }
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('who has less running goes first', () => {
  const turns = createTurns<string>(3, 100)
  addAll(turns, 'a1', 'a2', 'a3')
  takeAll(turns)
  addAll(turns, 'b1')
  takeAll(turns)
  addAll(turns, 'a4', 'b2')
  turns.finish('a')
  turns.finish('a')
  expect(takeAll(turns)).toEqual(['a4'])
  turns.finish('b')
  expect(takeAll(turns)).toEqual(['b2'])
})

test('a newcomer gets a slot beyond the limit, and only one', () => {
  const turns = createTurns<string>(2, 100)
  addAll(turns, 'a1', 'a2', 'a3')
  expect(takeAll(turns)).toEqual(['a1', 'a2'])
  addAll(turns, 'b1', 'b2', 'c1')
  expect(takeAll(turns)).toEqual(['b1', 'c1'])
  turns.finish('b')
  expect(takeAll(turns)).toEqual(['b2'])
  expect(turns).toMatchObject({ running: 4, waiting: 1 })
})

test('slots are exceeded four times at most', () => {
  const turns = createTurns<string>(2, 100)
  addAll(turns, ...'abcdefghij')
  expect(takeAll(turns)).toEqual([...'abcdefgh'])
  turns.finish('c')
  expect(takeAll(turns)).toEqual(['i'])
})

test('an owner with too much waiting is told so; what runs does not count', () => {
  const turns = createTurns<string>(1, 2)
  turns.add('a', 'a1')
  turns.take()
  expect([turns.add('a', 'a2'), turns.add('a', 'a3'), turns.add('a', 'a4')]).toEqual([true, true, false])
  expect(turns.add('b', 'b1')).toBe(true)
})

test('what was removed is not taken', () => {
  const turns = createTurns<string>(2, 100)
  addAll(turns, 'a1', 'a2')
  expect([turns.remove('a', 'a1'), turns.remove('a', 'a1'), turns.remove('b', 'b1')]).toEqual([
    true,
    false,
    false,
  ])
  expect(takeAll(turns)).toEqual(['a2'])
  addAll(turns, 'a3', 'a4', 'c1')
  expect(takeAll(turns)).toEqual(['c1'])
  expect(turns.clear()).toEqual(['a3', 'a4'])
  expect(turns).toMatchObject({ running: 2, waiting: 0 })
})
