import { expect, it } from 'vitest'
import { createTemplateEngine, renderLiquid } from './template-engine.ts'

function render(source: string, locale: string, total: unknown): string {
  const engine = createTemplateEngine('plain')
  const calendar = { locale, offsetAt: () => 0 }
  const globals = { values: {}, translate: () => '', calendar }
  // No-break spaces as ordinary ones, for reading.
  return renderLiquid(engine, engine.parse(source), { total }, globals).replace(/\s/g, ' ')
}

it.each([
  ['{{ total | money: "EUR" }}', 'de', 1234.5, '1.234,50 €'],
  ['{{ total | money: "EUR" }}', 'en', 1234.5, '€1,234.50'],
  ['{{ total | money: "usd" }}', 'pt-BR', '99.9', 'US$ 99,90'],
  ['{{ total | money: "JPY" }}', 'ja', 1500, '￥1,500'],
  ['{{ total | money: "EUR", unit: "minor" }}', 'de', 1999, '19,99 €'],
  ['{{ total | money: "JPY", unit: "minor" }}', 'en', 1999, '¥1,999'],
  ['{{ total | money: "KWD", unit: "minor" }}', 'en', 1999, 'KWD 1.999'],
  ['{{ total | money: "EUR" }}', 'en', '12345678901234567890.12', '€12,345,678,901,234,567,890.12'],
  ['{{ total | money: "EUR" }}', 'en', -5, '-€5.00'],
  ['{{ total | number }}', 'de', 1234567.891, '1.234.567,891'],
  ['{{ total | number: 2 }}', 'fr', 3, '3,00'],
  ['{{ total | number: 0 }}', 'en', '2.5', '3'],
  ['{{ total | number }}', 'hi', 1234567, '12,34,567'],
  ['{{ total | number }}', 'en', 1e21, '1,000,000,000,000,000,000,000'],
  ['[{{ total | money: "EUR" }}{{ total | number }}]', 'en', null, '[]'],
])('the template %s formats a number for the locale %s', (source, locale, total, text) => {
  expect(render(source, locale, total)).toBe(text)
})

it.each([
  ['{{ total | money }}', 1, /currency of three letters/],
  ['{{ total | money: "euro" }}', 1, /currency of three letters/],
  ['{{ total | money: "EUR", unit: "cents" }}', 1, /"major" or "minor"/],
  ['{{ total | number }}', 'many', /"many" is not a number/],
  ['{{ total | number }}', true, /"true" is not a number/],
  ['{{ total | number: 99 }}', 1, /0 to 20 decimals/],
])('the template %s refuses %j and says what is wrong', (source, total, message) => {
  expect(() => render(source, 'en', total)).toThrow(message)
})
