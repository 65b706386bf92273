import { expect, it } from 'vitest'
import { contrast, readableOn, shadeFor } from './readable-colours.ts'

it('chooses black or white to write on a colour', () => {
  expect([readableOn('#1f5fd6'), readableOn('#ffd400')]).toEqual(['#ffffff', '#000000'])
})

it('darkens a colour until it can be read, and leaves a readable one alone', () => {
  expect(shadeFor('#1f7a5c', '#ffffff')).toBe('#1f7a5c')
  expect(contrast(shadeFor('#ffd400', '#ffffff'), '#ffffff')).toBeGreaterThanOrEqual(4.5)
})
