/** Liquid for the templates of messages: the usual engine, the reader's dates and numbers, and translations by `{{ 'key' | t }}`. */
import type { Context, Liquid, Template } from 'liquidjs'
import { type Calendar, createDateFilters } from './dates.ts'
import { createEngine, TIME_LIMIT_MS } from './engine.ts'
import { toMistake } from './mistake.ts'
import { createNumberFilters } from './numbers.ts'

/**
 * html      inserted values are escaped
 * plain     they are not
 * stripped  a text made from HTML: filters that produce HTML leave the value as it is
 */
export type Mode = 'html' | 'plain' | 'stripped'

export interface Globals {
  /** Visible everywhere, including partials. */
  values: Record<string, unknown>
  translate: (key: string, parameters: Record<string, unknown>) => string
  calendar: Calendar
}

export function createTemplateEngine(mode: Mode, parts: Record<string, string> = {}): Liquid {
  return createEngine({
    parts,
    escapesHtml: mode === 'html',
    filters: { t, ...DATE_FILTERS, ...NUMBER_FILTERS, ...(mode === 'stripped' && STRIPPED) },
  })
}

const MAX_TRIES = 3

/** The time limit is one of the clock, which goes on while the machine does something else: such a render starts over. */
export function renderLiquid(
  engine: Liquid,
  templates: Template[],
  variables: object,
  globals: Globals,
): string {
  globalsByValues.set(globals.values, globals)
  for (let tries = 1; ; tries++) {
    const before = process.cpuUsage()
    try {
      return engine.renderSync(templates, variables, { globals: globals.values })
    } catch (error) {
      const { user, system } = process.cpuUsage(before)
      const wasBusy = (user + system) / 1000 > TIME_LIMIT_MS / 2
      if (wasBusy || tries === MAX_TRIES || !toMistake(error).isTimeout) throw error
    }
  }
}

/** Keyed by the `values` of a render, which even the scopes of partials share. Templates cannot reach the rest. */
const globalsByValues = new WeakMap<object, Globals>()
function globalsOf(context: Context): Globals {
  const globals = globalsByValues.get(context.globals)
  if (globals === undefined) throw new Error('this text is rendered without a recipient')
  return globals
}

const DATE_FILTERS = createDateFilters(context => globalsOf(context).calendar)
const NUMBER_FILTERS = createNumberFilters(context => globalsOf(context).calendar.locale)

function t(this: { context: Context }, key: unknown, ...values: unknown[]): string {
  const named = values.filter((value): value is [string, unknown] => Array.isArray(value))
  const text = globalsOf(this.context).translate(String(key), Object.fromEntries(named))
  this.context.memoryLimit.use(TRANSLATION_COST + text.length)
  return text
}
/** Setting up plural rules and number formats is slow. */
const TRANSLATION_COST = 500

const unchanged = (value: unknown) => value
const STRIPPED = {
  escape: unchanged,
  escape_once: unchanged,
  xml_escape: unchanged,
  newline_to_br: unchanged,
  raw: (value: unknown) =>
    String(value ?? '')
      .replace(/<br\s*\/?>|<\/(?:p|div|li|tr|h[1-6])>/gi, '\n')
      .replace(/<[^<>]*>/g, '')
      .replace(/&(lt|gt|quot|#39|nbsp|amp);/g, (_whole, name: string) => CHARACTERS[name]!),
}
const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ', amp: '&' }
