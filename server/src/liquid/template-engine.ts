/** Liquid for the templates of messages: the usual engine, and translations by `{{ 'key' | t: count: 3 }}`. */
import type { Context, Liquid, Template } from 'liquidjs'
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
}

export function createTemplateEngine(
  mode: Mode,
  options: { parts?: Record<string, string>; locale?: string } = {},
): Liquid {
  return createEngine({
    ...options,
    escapesHtml: mode === 'html',
    filters: { t, ...(mode === 'stripped' && STRIPPED) },
  })
}

export function renderLiquid(
  engine: Liquid,
  templates: Template[],
  variables: object,
  globals: Globals,
): string {
  translators.set(globals.values, globals.translate)
  return engine.renderSync(templates, variables, { globals: globals.values })
}

/** By the globals of a render, which even the scopes of partials share; templates cannot reach it. */
const translators = new WeakMap<object, Globals['translate']>()

function t(this: { context: Context }, key: unknown, ...values: unknown[]): string {
  const translate = translators.get(this.context.globals)
  if (translate === undefined) throw new Error('there are no translations here')
  const named = values.filter((value): value is [string, unknown] => Array.isArray(value))
  const text = translate(String(key), Object.fromEntries(named))
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
