/** Liquid for the templates of messages: the usual engine, the reader's dates, and translations by `{{ 'key' | t }}`. */
import type { Context, Liquid, Template } from 'liquidjs'
import { type Calendar, createDateFilters } from './dates.ts'
import { createEngine } from './engine.ts'

/**
 * html      what is put in is escaped
 * plain     nothing is
 * stripped  a text that was made from HTML: filters that write HTML leave the value as it is
 */
export type Mode = 'html' | 'plain' | 'stripped'

export interface Globals {
  /** Seen everywhere, in partials too. */
  values: Record<string, unknown>
  translate: (key: string, parameters: Record<string, unknown>) => string
  calendar: Calendar
}

export function createTemplateEngine(mode: Mode, parts: Record<string, string> = {}): Liquid {
  return createEngine({
    parts,
    escapesHtml: mode === 'html',
    filters: { t, ...DATE_FILTERS, ...(mode === 'stripped' && STRIPPED) },
  })
}

export function renderLiquid(
  engine: Liquid,
  templates: Template[],
  variables: object,
  globals: Globals,
): string {
  renders.set(globals.values, globals)
  return engine.renderSync(templates, variables, { globals: globals.values })
}

/** By the globals of a render, which even the scopes of partials share; templates cannot reach it. */
const renders = new WeakMap<object, Globals>()
function globalsOf(context: Context): Globals {
  const globals = renders.get(context.globals)
  if (globals === undefined) throw new Error('there is nobody here to write to')
  return globals
}

const DATE_FILTERS = createDateFilters(context => globalsOf(context).calendar)

function t(this: { context: Context }, key: unknown, ...values: unknown[]): string {
  const named = values.filter((value): value is [string, unknown] => Array.isArray(value))
  const text = globalsOf(this.context).translate(String(key), Object.fromEntries(named))
  this.context.memoryLimit.use(TRANSLATION_COST + text.length)
  return text
}
/** Plural rules and number formats are slow to set up. */
const TRANSLATION_COST = 500

const asItIs = (value: unknown) => value
const STRIPPED = {
  escape: asItIs,
  escape_once: asItIs,
  xml_escape: asItIs,
  newline_to_br: asItIs,
  raw: (value: unknown) =>
    String(value ?? '')
      .replace(/<br\s*\/?>|<\/(?:p|div|li|tr|h[1-6])>/gi, '\n')
      .replace(/<[^<>]*>/g, '')
      .replace(/&(lt|gt|quot|#39|nbsp|amp);/g, (_whole, name: string) => CHARACTERS[name]!),
}
const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ', amp: '&' }
