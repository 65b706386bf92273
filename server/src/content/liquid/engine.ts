/**
 * Liquid for texts that tenants write: what it offers, and how much work it may do. The templates of messages and those
 * in the settings of the HTTP provider both use it.
 */
import {
  type Context,
  defaultOperators,
  type Emitter,
  type FilterImplOptions,
  filters,
  Liquid,
  type Operators,
  type Template,
  toValue,
} from 'liquidjs'

export interface EngineOptions {
  /** Inserted values are escaped for HTML; `raw` is the only way around it. */
  escapesHtml?: boolean
  /** The partials that `{% render 'name' %}` can render. Never files. */
  parts?: Record<string, string>
  /** In addition to the usual ones; one of the same name replaces it. */
  filters?: Record<string, FilterImplOptions>
}

const MAX_SOURCE_CHARACTERS = 1_000_000
/**
 * One budget for everything a render does. Unlike a time limit it gives the same answer on a busy machine, so exceeding
 * it is the template's fault. A character written or filtered costs 1; the costs below are how long other steps take
 * compared with that. Spending the whole budget takes about 0.1 s.
 */
const WORK_LIMIT = 500_000
const TAG_COST = 20
const FILTER_COST = 10
const ITEM_COST = 10
/** Only a last resort: a busy machine may be to blame, so the caller should try again. */
export const TIME_LIMIT_MS = 200

/** They evaluate text as an expression, or give a different answer each time. */
const REMOVED_FILTERS = [
  'where_exp',
  'reject_exp',
  'group_by_exp',
  'has_exp',
  'find_exp',
  'find_index_exp',
  'inspect',
  'sample',
]
/** `render` has its own scope and states what it passes; these do not, or hide tags from the compiler. */
const REMOVED_TAGS = ['include', 'layout', 'block', 'liquid']

export function createEngine(options: EngineOptions = {}): Liquid {
  const engine = new Liquid({
    // A typo must not become an empty text. `if` and `default` may still ask for a value that may be missing.
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    // In memory: otherwise templates could read the server's files.
    templates: options.parts ?? {},
    cache: true,
    outputEscape: options.escapesHtml ? escapeHtml : printable,
    operators: OPERATORS,
    timezoneOffset: 0,
    locale: 'en',
    parseLimit: MAX_SOURCE_CHARACTERS,
    renderLimit: TIME_LIMIT_MS,
    memoryLimit: WORK_LIMIT,
  })
  Object.assign(engine.filters, METERED_FILTERS, options.filters)
  for (const name of REMOVED_FILTERS) delete engine.filters[name]
  for (const name of REMOVED_TAGS) delete engine.tags[name]
  meterTags(engine)
  return engine
}

/** The library counts what filters produce, but neither what is written nor how often a loop runs. */
function meterTags(engine: Liquid): void {
  const { renderer } = engine
  const renderTemplates = renderer.renderTemplates.bind(renderer)
  renderer.renderTemplates = (templates: Template[], context: Context, emitter?: Emitter) => {
    context.memoryLimit.use((templates.length + 1) * TAG_COST)
    return renderTemplates(templates, context, emitter ?? meteredEmitter(context))
  }
}

const METERED_FILTERS = Object.fromEntries(
  Object.entries(filters).map(([name, filter]) => [name, meterFilter(filter as FilterImplOptions)]),
)

function meterFilter(filter: FilterImplOptions): FilterImplOptions {
  if (typeof filter !== 'function') return filter
  return function (value, ...values) {
    this.context.memoryLimit.use(FILTER_COST + sizeOf(value))
    return filter.call(this, value, ...values)
  }
}

const OPERATORS: Operators = {
  ...defaultOperators,
  contains(whole, part, context) {
    context.memoryLimit.use(sizeOf(whole))
    return (defaultOperators.contains as BinaryOperator)(whole, part, context)
  },
}
type BinaryOperator = (left: unknown, right: unknown, context: Context) => ReturnType<Operators[string]>

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return Array.isArray(value) ? value.length * ITEM_COST : 0
}

/** `capture` uses it too, and would otherwise collect text without limit. */
function meteredEmitter(context: Context): Emitter {
  return {
    buffer: '',
    write(value: unknown) {
      const text = printable(value)
      context.memoryLimit.use(text.length)
      this.buffer += text
    },
  }
}

function escapeHtml(value: unknown): string {
  const text = printable(value)
  // A quick test first: most values need no escaping.
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, character => ENTITIES[character]!) : text
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Nobody wants to read "[object Object]" in a mail. */
function printable(given: unknown): string {
  if (typeof given === 'string') return given
  const value: unknown = toValue(given)
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(printable).join('')
  if (typeof value === 'object') throw new Error('an object cannot be shown; name one of its fields')
  return String(value)
}
