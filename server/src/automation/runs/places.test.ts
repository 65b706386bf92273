import { expect, it } from 'vitest'
import { createPlaces } from './places.ts'

it('lets in as many of each owner as there are places, and the others in the order in which they came', async () => {
  const places = createPlaces(2)
  const order: string[] = []
  const leave = [await places.take('a'), await places.take('a')]
  const others = ['third', 'fourth'].map(async name => {
    const end = await places.take('a')
    order.push(name)
    end()
  })
  const end = await places.take('b')
  order.push('other owner')
  end()
  expect(order).toEqual(['other owner'])
  leave[0]!()
  await Promise.all(others)
  leave[1]!()
  expect(order).toEqual(['other owner', 'third', 'fourth'])
  // Nothing is left taken.
  await Promise.all([places.take('a'), places.take('a')])
})
