import { expect, test } from 'vitest'
import { choicesFor } from './search-choices.ts'

const TYPES = ['order_shipped', 'order_paid', 'newsletter']
const kinds = (text: string) => choicesFor(text, TYPES).map(({ kind, value }) => `${kind} ${value}`)

test('a word may be a person, a key or a type', () => {
  expect(kinds(' ada ')).toEqual(['user_id ada', 'idempotency_key ada', 'notification_type ada'])
})

test('types that fit are offered by their names', () => {
  expect(kinds('Order').slice(2)).toEqual(['notification_type order_shipped', 'notification_type order_paid'])
})

test('the id of a notification opens it', () => {
  const id = '01a1ee96-5666-7d38-92fb-241c06796fa1'
  expect(kinds(id)[0]).toBe(`record ${id}`)
})

test('nothing is offered for nothing', () => {
  expect(choicesFor('  ', TYPES)).toEqual([])
})
