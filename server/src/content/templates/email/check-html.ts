/**
 * Reads HTML strictly: every element closed, in order. Browsers repair what is not, but the repair would be made around
 * the Liquid in it: `{% if a %}<div>{% else %}<div class="x">{% endif %}` opens one element when it is rendered and two
 * when it is read, so that the mail would end with one `</div>` too many. What passes here is read alike by everybody.
 */
import type { Mark } from './flatten.ts'

export class HtmlMistake extends Error {
  readonly index: number

  constructor(index: number, message: string) {
    super(message)
    this.index = index
  }
}

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** What they hold is no HTML. */
const TEXT_ONLY = new Set(['style', 'title', 'textarea'])
const ONCE = new Set(['html', 'head', 'body', 'title'])
/** Mail programs take them out or refuse the mail, and some change how everything after them is read. */
const REFUSED = new Set(
  'script iframe object embed applet frame frameset noembed noframes noscript xmp plaintext template math svg base'.split(
    ' ',
  ),
)
const TABLE_SECTIONS = new Set(['thead', 'tbody', 'tfoot', 'caption', 'colgroup', 'col'])
const DOCUMENT = ['html', 'head', 'body']
const DEEPEST = 150

const NAME = /[a-zA-Z][a-zA-Z0-9-]*/y
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?/y
const TAG_END = /\s*(\/?)>/y
const END_TAG = /<\/([a-zA-Z][a-zA-Z0-9-]*)\s*>/y
const DECLARATION = /<!(?:doctype[^<>]*|\[(?:if|endif)[^<>]*)>/iy
const MARK = /carillon-mark-(\d+)x/g

interface OpenElement {
  name: string
  index: number
  /** A tbody that nobody wrote but every reader adds. */
  isImplied: boolean
  /** Of a table: the chunk of the result that an implied tbody would begin. */
  section: number
}

/**
 * Gives the same HTML with the marks that stand between elements as comments, which may stand everywhere: text directly
 * inside a table would be moved out of it. What readers would add by themselves, in the middle of a loop if it so
 * happens, is added where it belongs: a tbody around rows, and a document around a fragment.
 */
export function markText(html: string, marks: Mark[]): string {
  const open: OpenElement[] = []
  const seen = new Set<string>()
  const chunks: string[] = []
  let at = 0

  function copy(end: number, asComments = false): void {
    const text = html.slice(at, end)
    chunks.push(asComments ? text.replace(MARK, '<!--$&-->') : text)
    at = end
  }

  function startElement(): void {
    const index = at
    const { name, end, closesItself } = readTag(html, at, marks)
    if (ONCE.has(name) && seen.has(name))
      throw new HtmlMistake(index, `there is a second <${name}>; a body inside a layout has none of its own`)
    seen.add(name)
    const parent = open.at(-1)
    if (parent?.isImplied && TABLE_SECTIONS.has(name)) endSection()
    else if (parent?.name === 'table' && name === 'tr') beginSection(parent, index)
    copy(end)
    if (VOID.has(name)) return
    if (closesItself) throw new HtmlMistake(index, `<${name}/> needs an end tag </${name}>`)
    if (open.length >= DEEPEST) throw new HtmlMistake(index, `elements are nested more than ${DEEPEST} deep`)
    open.push({ name, index, isImplied: false, section: chunks.push('') - 1 })
    if (TEXT_ONLY.has(name)) copy(readText(html, at, name, marks))
  }

  function endElement(): void {
    const name = nameAt(html, at + 2)
    if (open.at(-1)?.isImplied && name === 'table') endSection()
    const last = open.pop()
    if (last?.name !== name || last.isImplied) {
      const isForgotten = last !== undefined && open.some(element => element.name === name)
      throw isForgotten
        ? new HtmlMistake(last.index, `<${last.name}> is not closed before </${name}>`)
        : new HtmlMistake(at, `</${name}> closes nothing`)
    }
    copy(matchEnd(END_TAG, html, at, 'this end tag is not complete'))
    const parent = open.at(-1)
    if (parent?.name === 'table') parent.section = chunks.push('') - 1
  }

  function beginSection(table: OpenElement, index: number): void {
    chunks[table.section] = '<tbody>'
    open.push({ name: 'tbody', index, isImplied: true, section: 0 })
  }

  function endSection(): void {
    chunks.push('</tbody>')
    open.pop()
    const table = open.at(-1)
    if (table !== undefined) table.section = chunks.push('') - 1
  }

  for (;;) {
    const next = html.indexOf('<', at)
    copy(next < 0 ? html.length : next, true)
    if (next < 0) break
    if (html.startsWith('<!--', at)) copy(readComment(html, at, marks))
    else if (html[at + 1] === '!') copy(matchEnd(DECLARATION, html, at, 'this is no comment'))
    else if (html[at + 1] === '/') endElement()
    else if (/[a-zA-Z]/.test(html[at + 1] ?? '')) startElement()
    else if (/[\s\d]/.test(html[at + 1] ?? ' ')) copy(at + 1)
    else throw new HtmlMistake(at, 'a < that begins no element is written &lt;')
  }
  const unclosed = open.at(-1)
  if (unclosed !== undefined) throw new HtmlMistake(unclosed.index, `<${unclosed.name}> is not closed`)
  return asDocument(chunks.join(''), seen)
}

function asDocument(html: string, seen: Set<string>): string {
  const found = DOCUMENT.filter(name => seen.has(name))
  if (found.length === DOCUMENT.length) return html
  if (found.length > 0)
    throw new HtmlMistake(0, 'a whole document has <html>, <head> and <body>, a part of one has none of them')
  return `<!doctype html><html><head><meta charset="utf-8"></head><body>${html}</body></html>`
}

function readComment(html: string, at: number, marks: Mark[]): number {
  const end = html.indexOf('-->', at + 4)
  if (end < 0) throw new HtmlMistake(at, 'this comment is not closed')
  const text = html.slice(at + 4, end)
  if (/^-?>/.test(html.slice(at + 4)) || text.includes('--!>'))
    throw new HtmlMistake(at, 'this comment is not closed as it should be, with -->')
  refusePartials(text, at, marks, 'a comment')
  return end + 3
}

function readTag(html: string, at: number, marks: Mark[]) {
  const name = nameAt(html, at + 1)
  if (REFUSED.has(name)) throw new HtmlMistake(at, `mail programs do not allow <${name}>`)
  let end = at + 1 + name.length
  for (;;) {
    ATTRIBUTE.lastIndex = end
    const attribute = ATTRIBUTE.exec(html)
    if (attribute === null) break
    if (attribute[1]!.search(MARK) >= 0)
      throw new HtmlMistake(end, 'inside a tag, Liquid may stand only in the values of attributes')
    refusePartials(attribute[0], end, marks, 'a tag')
    end += attribute[0].length
  }
  TAG_END.lastIndex = end
  const closing = TAG_END.exec(html)
  if (closing === null) throw new HtmlMistake(end, `<${name}> is not written as it should be here`)
  return { name, end: end + closing[0].length, closesItself: closing[1] === '/' }
}

/** To the end tag of an element that holds text only. */
function readText(html: string, at: number, name: string, marks: Mark[]): number {
  const length = html.slice(at).search(new RegExp(`</${name}(?=[\\s/>])`, 'i'))
  if (length < 0) throw new HtmlMistake(at, `<${name}> is not closed`)
  const text = html.slice(at, at + length)
  refusePartials(text, at, marks, `<${name}>`)
  for (const found of name === 'style' ? text.matchAll(MARK) : []) {
    if (marks[Number(found[1])]?.kind === 'tag')
      throw new HtmlMistake(at + found.index, 'in <style>, Liquid may only put in values, such as colours')
  }
  return at + length
}

function refusePartials(text: string, at: number, marks: Mark[], where: string): void {
  for (const found of text.matchAll(MARK)) {
    const kind = marks[Number(found[1])]?.kind
    if (kind === 'open' || kind === 'close')
      throw new HtmlMistake(at + found.index, `a partial cannot be rendered inside ${where}`)
  }
}

function nameAt(html: string, at: number): string {
  NAME.lastIndex = at
  return (NAME.exec(html)?.[0] ?? '').toLowerCase()
}

function matchEnd(pattern: RegExp, html: string, at: number, message: string): number {
  pattern.lastIndex = at
  const found = pattern.exec(html)
  if (found === null) throw new HtmlMistake(at, message)
  return at + found[0].length
}
