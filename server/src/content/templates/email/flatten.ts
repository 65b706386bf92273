/**
 * Body, layout and partials as one HTML text, with a mark in place of every piece of Liquid. HTML tools can then work
 * on it without seeing Liquid or tearing it apart; afterwards every mark becomes Liquid again.
 *
 * A partial is inserted where it is rendered, between the marks of its call, so that styles apply to it as they would
 * in the finished mail. Each call gets its own copy, named name@call.
 */
import { type Liquid, Tokenizer, TypeGuards } from 'liquidjs'
import { invalidTemplate, mistakeAt, type Source } from '../../liquid/source.ts'

export type Mark =
  | { kind: 'output' | 'tag'; liquid: string }
  | { kind: 'open'; name: string; liquid: string }
  | { kind: 'close' }

export interface Flat {
  html: string
  marks: Mark[]
  /** The source and index that a character of the HTML comes from. */
  originOf(index: number): { source: Source; index: number }
}

export interface FlattenOptions {
  engine: Liquid
  partials: Map<string, Source>
}

/** Valid as text, in attributes, and as a value in CSS. */
const MARK = /carillon-mark-(\d+)x/
export const MARKS = new RegExp(`<!--${MARK.source}-->|${MARK.source}`, 'g')
const writeMark = (number: number) => `carillon-mark-${number}x`

/** Counts every partial as often as it is rendered. */
const MAX_CHARACTERS = 400_000

export function flatten(body: Source, layout: Source | undefined, options: FlattenOptions): Flat {
  const marks: Mark[] = []
  const segments: { start: number; source: Source; index: number }[] = []
  let html = ''

  function addMark(mark: Mark): void {
    html += writeMark(marks.push(mark) - 1)
  }

  function add(source: Source, callers: string[]): void {
    const reserved = source.text.search(MARK)
    if (reserved >= 0) throw mistake(source, reserved, 'this text is reserved')
    for (const token of splitLiquid(source, options.engine)) {
      segments.push({ start: html.length, source, index: token.begin })
      if (token.kind === 'html') html += token.text
      else if (source === layout && isContent(token.text)) add(body, callers)
      else if (token.part === undefined) addMark({ kind: token.kind, liquid: token.text })
      else addPart(token.part, token.text, source, token.begin, callers)
      if (html.length > MAX_CHARACTERS)
        throw mistake(source, token.begin, `with its partials it has more than ${MAX_CHARACTERS} characters`)
    }
  }

  function addPart(name: string, call: string, caller: Source, index: number, callers: string[]): void {
    const partial = options.partials.get(name)
    if (partial === undefined) throw mistake(caller, index, `there is no partial "${name}"`)
    if (callers.includes(name)) throw mistake(caller, index, `the partial "${name}" would render itself`)
    const copy = `${name}@${marks.length}`
    addMark({ kind: 'open', name: copy, liquid: call.replace(/(['"]).*?\1/, `'${copy}'`) })
    add(partial, [...callers, name])
    segments.push({ start: html.length, source: caller, index })
    addMark({ kind: 'close' })
  }

  add(layout ?? body, [])
  return {
    html,
    marks,
    originOf(at) {
      const segment = segments.findLast(({ start }) => start <= at) ?? segments[0]!
      return { source: segment.source, index: segment.index + at - segment.start }
    },
  }
}

const mistake = (source: Source, index: number, message: string) =>
  invalidTemplate([mistakeAt(source, index, message)])

/** Turns marks back into Liquid. What is between the marks of a call goes into `parts`. */
export function unflatten(html: string, marks: Mark[]): { text: string; parts: Record<string, string> } {
  const parts: Record<string, string> = {}
  const open: { name: string; liquid: string; text: string }[] = [{ name: '', liquid: '', text: '' }]
  let end = 0
  for (const found of html.matchAll(MARKS)) {
    const mark = marks[Number(found[1] ?? found[2])]!
    open.at(-1)!.text += escapeBraces(html.slice(end, found.index))
    end = found.index + found[0].length
    if (mark.kind === 'open') open.push({ ...mark, text: '' })
    else if (mark.kind === 'close') {
      const part = open.pop()!
      parts[part.name] = part.text
      open.at(-1)!.text += part.liquid
    } else open.at(-1)!.text += mark.liquid
  }
  return { text: open[0]!.text + escapeBraces(html.slice(end)), parts }
}

/** `&#123;&#123;` was decoded to `{{`, which must stay plain text. */
function escapeBraces(text: string): string {
  return text.replace(/\{(?=[{%]|$)/g, "{{ '{' }}")
}

interface Token {
  kind: 'html' | 'output' | 'tag'
  text: string
  begin: number
  /** The partial that a tag renders. */
  part?: string
}

/** Leaves out Liquid comments with all their content: what is commented out need not be valid. */
function* splitLiquid(source: Source, engine: Liquid): Generator<Token> {
  const tokens = new Tokenizer(source.text).readTopLevelTokens(engine.options)
  let inComment = false
  for (const token of tokens) {
    const { begin } = token
    const text = source.text.slice(begin, token.end)
    const name = TypeGuards.isTagToken(token) ? token.name : undefined
    if (name === 'comment') inComment = true
    if (!inComment && name !== undefined) {
      const part = name === 'render' ? /(['"])(.*?)\1/.exec(text)?.[2] : undefined
      yield { kind: 'tag', text, begin, ...(part !== undefined && { part }) }
    } else if (!inComment && TypeGuards.isOutputToken(token)) {
      yield { kind: 'output', text, begin }
    } else if (!inComment) yield { kind: 'html', text, begin }
    if (name === 'endcomment') inComment = false
  }
}

/** Whether the output is where a layout inserts the body. */
function isContent(output: string): boolean {
  return /^\{\{-?\s*content\s*-?\}\}$/.test(output)
}
