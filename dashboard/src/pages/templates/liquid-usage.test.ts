import { describe, expect, it } from 'vitest'
import { pathsIn, payloadFor } from './liquid-usage.ts'

describe('the fields that a text uses', () => {
  it('finds outputs, conditions and arguments of filters', () => {
    expect(
      pathsIn(
        `{{ order.number }} {% if note != "none" %}{{ 'parcels' | t: count: order.parcels }}{% endif %}`,
      ),
    ).toEqual(['note', 'order.number', 'order.parcels'])
  })

  it('follows loops to what they go through', () => {
    expect(pathsIn(`{% for item in order.items %}{{ item.name }}{% endfor %}`)).toEqual([
      'order.items[]',
      'order.items[].name',
    ])
  })

  it('leaves out what is built in, assigned or written as it is', () => {
    expect(pathsIn(`{{ branding.name }}{% assign x = total %}{{ x }}{% raw %}{{ no }}{% endraw %}`)).toEqual([
      'total',
    ])
  })
})

it('makes a payload that has something everywhere', () => {
  expect(payloadFor(['order.items[]', 'order.items[].name', 'order.number', 'tracking_url'])).toEqual({
    order: { items: [{ name: 'Ada' }], number: 2 },
    tracking_url: 'https://example.com/1',
  })
})
