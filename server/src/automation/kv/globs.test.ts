import { expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'

const database = useDatabase()

it.each([
  ['*', 'anything', true],
  ['*', '', true],
  ['orders', 'orders', true],
  ['orders', 'orders:1', false],
  ['orders', 'Orders', false],
  ['orders:*', 'orders:1', true],
  ['orders:*', 'orders:', true],
  ['orders:*', 'orders', false],
  ['orders:*', 'my-orders:1', false],
  ['ord*', 'orders', true],
  ['%', '%', true],
  ['%', 'orders', false],
  ['ord%', 'orders', false],
  ['order_', 'orders', false],
  ['order_*', 'orders', false],
  ['order_*', 'order_1', true],
  ['o.d*', 'orders', false],
  ['[a-z]*', 'orders', false],
  ['\\*', '\\x', true],
  ['é*', 'été', true],
  ['', '', true],
  ['', 'orders', false],
])('the glob %j and the name %j: %j', { tags: 'S003-5' }, async (glob, name, matches) => {
  const { rows } = await database.pool.query('select matches_glob($1, $2)', [glob, name])
  expect(rows).toEqual([{ matches_glob: matches }])
})
