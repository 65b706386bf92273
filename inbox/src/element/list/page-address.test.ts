import { expect, it } from 'vitest'
import { pageAddress } from './page-address.ts'

it.each(['https://example.com/1?a=b#c', 'HTTP://example.com', '/', '/issues/1'])('%j is a page', address => {
  expect(pageAddress(address)).toBe(address)
})

it.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>1</script>',
  'blob:https://example.com/1',
  '//example.com',
  '/\\example.com',
  'https:example.com',
  'https://example.com\njavascript:1',
  'issues/1',
  '',
  null,
  undefined,
  7,
])('%j is none', address => {
  expect(pageAddress(address)).toBeUndefined()
})
