/**
 * Reads HTML strictly: every element closed, in order. Browsers repair what is not, but the repair would be made around
 * the Liquid in it: `{% if a %}<div>{% else %}<div class="x">{% endif %}` opens one element when it is rendered and two
 * when it is read, so that the mail would end with one `</div>` too many. What passes here is read alike by everybody.
 */
import type { Mark } from './flatten.ts'
import { type EndTag, HtmlMistake, readTokens, type StartTag, TEXT_ONLY } from './html-tokens.ts'

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
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
    if (ONCE.has(name) && seen.has(name))
      throw new HtmlMistake(start, `there is a second <${name}>; a body inside a layout has none of its own`)
    seen.add(name)
    const parent = open.at(-1)
    if (parent?.isImplied && TABLE_SECTIONS.has(name)) endSection()
    else if (parent?.name === 'table' && name === 'tr') beginSection(parent, start)
    copy(end)
    if (VOID.has(name)) return
    if (tag.closesItself) throw new HtmlMistake(start, `<${name}/> needs an end tag </${name}>`)
    if (open.length >= DEEPEST) throw new HtmlMistake(start, `elements are nested more than ${DEEPEST} deep`)
    open.push({ name, index: start, isImplied: false, section: chunks.push('') - 1 })
  }

  function endElement({ name, start, end }: EndTag): void {
    if (open.at(-1)?.isImplied && name === 'table') endSection()
    const last = open.pop()
    if (last?.name !== name || last.isImplied) {
      const isForgotten = last !== undefined && open.some(element => element.name === name)
      throw isForgotten
        ? new HtmlMistake(last.index, `<${last.name}> is not closed before </${name}>`)
        : new HtmlMistake(start, `</${name}> closes nothing`)
    }
    copy(end)
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

  readTokens(html, {
    onStartTag(tag) {
      copyText(tag.start)
      startElement(tag)
    },
    onEndTag(tag) {
      copyText(tag.start)
      endElement(tag)
    },
    onRemark({ start, end }) {
      copyText(start)
      refusePartials(html.slice(start, end), start, marks, 'a comment')
      copy(end)
    },
  })
  copyText(html.length)
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

function checkTag(
  { name, start, end, attributeNames, mistake }: StartTag,
  html: string,
  marks: Mark[],
): void {
  if (REFUSED.has(name)) throw new HtmlMistake(start, `mail programs do not allow <${name}>`)
  const [marked] = attributeNames.flatMap(attribute => attribute.match(MARK) ?? [])
  if (marked !== undefined) {
    const index = html.indexOf(marked, start)
    throw new HtmlMistake(index, 'inside a tag, Liquid may stand only in the values of attributes')
  }
  refusePartials(html.slice(start, end), start, marks, 'a tag')
  if (mistake !== undefined) throw mistake
}

/** Of an element that holds text only. */
function checkText(text: string, at: number, name: string, marks: Mark[]): void {
  refusePartials(text, at, marks, `<${name}>`)
  for (const found of name === 'style' ? text.matchAll(MARK) : []) {
    if (marks[Number(found[1])]?.kind === 'tag')
      throw new HtmlMistake(at + found.index, 'in <style>, Liquid may only put in values, such as colours')
  }
}

function refusePartials(text: string, at: number, marks: Mark[], where: string): void {
  for (const found of text.matchAll(MARK)) {
    const kind = marks[Number(found[1])]?.kind
    if (kind === 'open' || kind === 'close')
      throw new HtmlMistake(at + found.index, `a partial cannot be rendered inside ${where}`)
  }
}
