import { expect, it } from 'vitest'
import { readPush } from './message.ts'

const PAGE = 'https://shop.example/'
const read = (message: unknown) => readPush(JSON.stringify(message), PAGE)

it('shows title and text, and leads where the message says', () => {
  const data = { notification_id: 'n1', url: '/orders/7', image: 'https://cdn.example/parcel.png' }
  expect(read({ title: 'Shipped', body: 'On its way', data })).toEqual({
    title: 'Shipped',
    options: {
      body: 'On its way',
      tag: 'n1',
      icon: 'https://cdn.example/parcel.png',
      data: { url: 'https://shop.example/orders/7' },
    },
  })
})

it.each([
  ['nothing', ''],
  ['no JSON', '<script>alert(1)</script>'],
  ['null', 'null'],
  ['a number', '7'],
  ['wrong types', JSON.stringify({ title: { a: 1 }, body: ['x'], data: 'x' })],
  [
    'an address that runs something',
    JSON.stringify({ data: { url: 'javascript:alert(1)', image: 'data:,x' } }),
  ],
  ['an address that is none', JSON.stringify({ data: { url: 'https://', image: 'http://[' } })],
])('makes of %s a notification of the product that leads to its page', (_name, text) => {
  expect(readPush(text, PAGE)).toEqual({ title: 'shop.example', options: { body: '', data: { url: PAGE } } })
})

it('cuts what is too long', () => {
  const { title, options } = read({ title: 'x'.repeat(1e6), body: 'y'.repeat(1e6) })
  expect([title.length, options.body.length]).toEqual([300, 2000])
})
