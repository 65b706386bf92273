/** What can stand where one types in a Liquid text. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { loopsIn } from './liquid-usage.ts'
import { BUILT_IN_FIELDS, FILTERS, TAGS } from './liquid-words.ts'

export interface Known {
  payload: Record<string, unknown>
  partials: string[]
  messages: string[]
}

export function completeLiquid(context: CompletionContext, known: Known): CompletionResult | null {
  const before = context.state.sliceDoc(Math.max(0, context.pos - 2000), context.pos)
  const opened = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'))
  if (opened < 0 || /\}\}|%\}/.test(before.slice(opened))) return null
  const inside = before.slice(opened + 2)
  const isTag = before[opened + 1] === '%'
  const word = /[\w.-]*$/.exec(inside)![0]
  const lead = inside.slice(0, inside.length - word.length)
  const answer = (options: Completion[], typed = word): CompletionResult | null =>
    options.length === 0 ? null : { from: context.pos - typed.length, options, validFor: /^[\w.-]*$/ }

  if (/render\s+['"]$/.test(lead)) return answer(known.partials.map(label => ({ label, type: 'class' })))
  if (/['"]$/.test(lead) && (lead.match(/['"]/g)?.length ?? 0) % 2 === 1)
    return isTag
      ? null
      : answer(known.messages.map(label => ({ label, type: 'text', detail: 'translation' })))
  if (/\|\s*$/.test(lead))
    return answer(FILTERS.map(([label, detail]) => ({ label, detail, type: 'function' })))
  if (isTag && /^-?\s*$/.test(lead))
    return answer(TAGS.map(([label, detail]) => ({ label, detail, type: 'keyword' })))
  if (word === '' && !context.explicit && !/[\s{%]$/.test(inside)) return null

  const roots: Record<string, unknown> = { ...BUILT_IN_FIELDS, ...known.payload }
  for (const { name, of } of loopsIn(context.state.sliceDoc(0, context.pos)))
    roots[name] = firstOf(at(roots, of.split('.')))
  const steps = word.split('.')
  const typed = steps.pop()!
  const place = at(roots, steps)
  return answer(fieldsOf(place), typed)
}

function at(value: unknown, steps: string[]): unknown {
  return steps.reduce<unknown>(
    (place, step) =>
      typeof place === 'object' && place !== null ? (place as Record<string, unknown>)[step] : undefined,
    value,
  )
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined)

function fieldsOf(value: unknown): Completion[] {
  if (Array.isArray(value)) return ['size', 'first', 'last'].map(label => ({ label, type: 'property' }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([label, sample]) => ({
    label,
    type: 'variable',
    detail: typeof sample === 'object' ? (Array.isArray(sample) ? 'list' : '') : String(sample).slice(0, 30),
  }))
}
