import { expect, it } from 'vitest'
import { acceptedLanguages, prefersHtml } from './accept-headers.ts'

it.each<[string | undefined, string[]]>([
  [undefined, []],
  ['', []],
  ['de', ['de']],
  ['en-GB,en;q=0.9,de;q=0.8', ['en-gb', 'en', 'de']],
  ['de;q=0.5, fr , es;q=0, *;q=0.1', ['fr', 'de']],
  ['fr;q=nonsense, <script>, de-', []],
  [`${'x'.repeat(2000)}, de`, []],
])('the languages of %j', (header, languages) => {
  expect(acceptedLanguages(header)).toEqual(languages)
})

it.each<[string | undefined, boolean]>([
  [undefined, false],
  ['*/*', false],
  ['text/html', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/json, text/html;q=0.9', false],
  ['text/html, application/json;q=0.9', true],
  ['text/html, application/json', true],
  ['text/html;q=0, */*', false],
])('whether %j asks for a page', (header, isPage) => {
  expect(prefersHtml(header)).toBe(isPage)
})
