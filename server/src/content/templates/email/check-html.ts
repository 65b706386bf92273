/**
 * Checks HTML strictly: every element must be closed, in order. HTML parsers repair what is not, but they would do so
 * around the Liquid in it: `{% if a %}<div>{% else %}<div class="x">{% endif %}` opens one element when rendered but
 * two when parsed, so the mail would end with one `</div>` too many. All parsers agree on what passes here.
 */
import type { Mark } from './flatten.ts'
import { type EndTag, HtmlMistake, readTokens, type StartTag, TEXT_ONLY } from './html-tokens.ts'

const VOID_ELEMENTS = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
const ONLY_ONCE = new Set(['html', 'head', 'body', 'title'])
/** Mail programs remove them or refuse the mail, and some change how everything after them is parsed. */
const REFUSED_ELEMENTS = new Set(
  'script iframe object embed applet frame frameset noembed noframes noscript xmp plaintext template math svg base'.split(
    ' ',
  ),
)
const TABLE_SECTIONS = new Set(['thead', 'tbody', 'tfoot', 'caption', 'colgroup', 'col'])
const DOCUMENT_ELEMENTS = ['html', 'head', 'body']
const MAX_DEPTH = 150

const MARK = /carillon-mark-(\d+)x/g

interface OpenElement {
  name: string
  index: number
  /** A tbody that nobody wrote but every parser adds. */
  isImplied: boolean
  /** For a table: the index in `chunks` where an implied <tbody> would go. */
  tbodyChunk: number
}

/**
 * Returns the HTML with the marks between elements turned into comments, which are allowed everywhere: text directly
 * inside a table would be moved out of it. It also adds what parsers would add themselves, possibly in the middle of a
 * loop: a tbody around rows, and a document around a fragment. Throws HtmlMistake.
 */
export function normalizeHtml(html: string, marks: Mark[]): string {
  const open: OpenElement[] = []
  const seen = new Set<string>()
  const chunks: string[] = []
  let at = 0

  function copy(end: number): void {
    chunks.push(html.slice(at, end))
    at = end
  }

  function copyText(end: number): void {
    const inside = open.at(-1)?.name
    if (inside !== undefined && TEXT_ONLY.has(inside)) {
      checkText(html.slice(at, end), at, inside, marks)
      copy(end)
    } else {
      chunks.push(html.slice(at, end).replace(MARK, '<!--$&-->'))
      at = end
    }
  }

  function startElement(tag: StartTag): void {
    const { name, start, end } = tag
    checkTag(tag, html, marks)
    if (ONLY_ONCE.has(name) && seen.has(name))
      throw new HtmlMistake(start, `there is a second <${name}>; a body inside a layout must not have one`)
    seen.add(name)
    const parent = open.at(-1)
    if (parent?.isImplied && TABLE_SECTIONS.has(name)) endTbody()
    else if (parent?.name === 'table' && name === 'tr') beginTbody(parent, start)
    copy(end)
    if (VOID_ELEMENTS.has(name)) return
    if (tag.closesItself) throw new HtmlMistake(start, `<${name}/> needs an end tag </${name}>`)
    if (open.length >= MAX_DEPTH)
      throw new HtmlMistake(start, `elements are nested more than ${MAX_DEPTH} deep`)
    open.push({ name, index: start, isImplied: false, tbodyChunk: chunks.push('') - 1 })
  }

  function endElement({ name, start, end }: EndTag): void {
    if (open.at(-1)?.isImplied && name === 'table') endTbody()
    const last = open.pop()
    if (last?.name !== name || last.isImplied) {
      const isLeftOpen = last !== undefined && open.some(element => element.name === name)
      throw isLeftOpen
        ? new HtmlMistake(last.index, `<${last.name}> is not closed before </${name}>`)
        : new HtmlMistake(start, `</${name}> closes nothing`)
    }
    copy(end)
    const parent = open.at(-1)
    if (parent?.name === 'table') parent.tbodyChunk = chunks.push('') - 1
  }

  function beginTbody(table: OpenElement, index: number): void {
    chunks[table.tbodyChunk] = '<tbody>'
    open.push({ name: 'tbody', index, isImplied: true, tbodyChunk: 0 })
  }

  function endTbody(): void {
    chunks.push('</tbody>')
    open.pop()
    const table = open.at(-1)
    if (table !== undefined) table.tbodyChunk = chunks.push('') - 1
  }

  readTokens(html, {
    onStartTag(tag) {
      copyText(tag.start)
      startElement(tag)
    },
    onEndTag(tag) {
      copyText(tag.start)
      endElement(tag)
    },
    onCommentOrDoctype({ start, end }) {
      copyText(start)
      refusePartialsIn(html.slice(start, end), start, marks, 'a comment')
      copy(end)
    },
  })
  copyText(html.length)
  const unclosed = open.at(-1)
  if (unclosed !== undefined) throw new HtmlMistake(unclosed.index, `<${unclosed.name}> is not closed`)
  return asDocument(chunks.join(''), seen)
}

function asDocument(html: string, seen: Set<string>): string {
  const found = DOCUMENT_ELEMENTS.filter(name => seen.has(name))
  if (found.length === DOCUMENT_ELEMENTS.length) return html
  if (found.length > 0)
    throw new HtmlMistake(0, 'a complete document has <html>, <head> and <body>; a fragment has none of them')
  return `<!doctype html><html><head><meta charset="utf-8"></head><body>${html}</body></html>`
}

function checkTag(
  { name, start, end, attributeNames, mistake }: StartTag,
  html: string,
  marks: Mark[],
): void {
  if (REFUSED_ELEMENTS.has(name)) throw new HtmlMistake(start, `mail programs do not allow <${name}>`)
  const [marked] = attributeNames.flatMap(attribute => attribute.match(MARK) ?? [])
  if (marked !== undefined) {
    const index = html.indexOf(marked, start)
    throw new HtmlMistake(index, 'inside a tag, Liquid is allowed only in the values of attributes')
  }
  refusePartialsIn(html.slice(start, end), start, marks, 'a tag')
  if (mistake !== undefined) throw mistake
}

/** Checks the text of an element that holds only text. */
function checkText(text: string, at: number, name: string, marks: Mark[]): void {
  refusePartialsIn(text, at, marks, `<${name}>`)
  for (const found of name === 'style' ? text.matchAll(MARK) : []) {
    if (marks[Number(found[1])]?.kind === 'tag')
      throw new HtmlMistake(at + found.index, 'in <style>, Liquid may only insert values, such as colours')
  }
}

function refusePartialsIn(text: string, at: number, marks: Mark[], where: string): void {
  for (const found of text.matchAll(MARK)) {
    const kind = marks[Number(found[1])]?.kind
    if (kind === 'open' || kind === 'close')
      throw new HtmlMistake(at + found.index, `a partial cannot be rendered inside ${where}`)
  }
}
