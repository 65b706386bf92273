/** The filters `number` and `money` of templates, which write as people do where the reader's language is spoken. */
import type { Context, FilterImplOptions } from 'liquidjs'

/** Looking up how a language writes numbers is slow; the formats are remembered. */
const NUMBER_COST = 100
const MAX_REMEMBERED = 500
const MAX_DECIMALS = 20
const NUMBER = /^[+-]?\d{1,50}(\.\d{1,50})?$/

export function createNumberFilters(
  localeOf: (context: Context) => string,
): Record<string, FilterImplOptions> {
  return {
    /** {{ total | number }}, {{ total | number: 2 }} with that many decimals */
    number(value, decimals) {
      this.context.memoryLimit.use(NUMBER_COST)
      if (isMissing(value)) return ''
      return formatOf(localeOf(this.context), { ...decimalsOf(decimals) }).format(readNumber(value))
    },
    /** {{ total | money: "EUR" }}; with `unit: "minor"` the value is in cents */
    money(value, currency, ...named) {
      this.context.memoryLimit.use(NUMBER_COST)
      if (isMissing(value)) return ''
      const format = formatOf(localeOf(this.context), { style: 'currency', currency: readCurrency(currency) })
      const number = readNumber(value)
      if (!isMinor(named)) return format.format(number)
      const digits = format.resolvedOptions().maximumFractionDigits ?? 0
      return format.format(`${number}e-${digits}` as Intl.StringNumericLiteral)
    },
  }
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

/** As text, which Intl formats exactly: 0.1 + 0.2 is not for invoices, and neither are 17 digits of a float. */
function readNumber(value: unknown): Intl.StringNumericLiteral {
  const text = typeof value === 'number' ? plainDigits(value) : String(value).trim()
  if (!NUMBER.test(text)) throw new Error(`"${String(value).slice(0, 50)}" is not a number`)
  return text as Intl.StringNumericLiteral
}

function plainDigits(value: number): string {
  const text = String(value)
  return /e/.test(text) && Number.isFinite(value) ? value.toLocaleString('en', PLAIN) : text
}
const PLAIN: Intl.NumberFormatOptions = { useGrouping: false, maximumFractionDigits: 20 }

function readCurrency(given: unknown): string {
  if (typeof given === 'string' && /^[A-Za-z]{3}$/.test(given)) return given.toUpperCase()
  throw new Error('money needs a currency of three letters, such as money: "EUR"')
}

function decimalsOf(given: unknown): Intl.NumberFormatOptions {
  if (given === undefined) return {}
  const decimals = Number(given)
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MAX_DECIMALS)
    throw new Error(`number can show 0 to ${MAX_DECIMALS} decimals`)
  return { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
}

function isMinor(named: unknown[]): boolean {
  const unit = named.find((pair): pair is [string, unknown] => Array.isArray(pair) && pair[0] === 'unit')?.[1]
  if (unit === undefined || unit === 'major') return false
  if (unit === 'minor') return true
  throw new Error('the unit of money is "major" or "minor"')
}

const formats = new Map<string, Intl.NumberFormat>()

function formatOf(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${options.currency ?? ''} ${options.maximumFractionDigits ?? ''}`
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options)
  if (formats.size < MAX_REMEMBERED) formats.set(key, format)
  return format
}
