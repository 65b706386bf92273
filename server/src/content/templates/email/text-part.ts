/**
 * The text part of a mail, made from its HTML when it is published, with the marks still in it, so that filling it in
 * later costs no more than any other text. Converting the finished HTML of every mail would take three times as long as
 * all the rest.
 */
import { compile, type FormatCallback } from 'html-to-text'
import { type Mark, unflatten } from './flatten.ts'

/** Cells of a row stay on one line. */
const formatCell: FormatCallback = (node, walk, builder) => {
  walk(node.children, builder)
  builder.addInline(' ')
}

const formatImageText: FormatCallback = (node, _walk, builder) => {
  if (node.attribs.alt) builder.addInline(node.attribs.alt)
}

const toText = compile({
  // Mail programs wrap lines themselves, and how long the filled-in values are is not known yet.
  wordwrap: false,
  limits: { maxDepth: 200 },
  formatters: { cell: formatCell, imageText: formatImageText },
  selectors: [
    { selector: 'a', options: { linkBrackets: false, hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', format: 'imageText' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, options: { uppercase: false } })),
    { selector: 'ul', options: { itemPrefix: '- ' } },
    // In a loop one item becomes many, which would all have the same number.
    { selector: 'ol', format: 'unorderedList', options: { itemPrefix: '- ' } },
    { selector: 'table', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'cell' },
    { selector: 'th', format: 'cell' },
  ],
})

/** The Liquid source of the text, and of the partials in it. */
export function makeTextPart(html: string, marks: Mark[]): { text: string; parts: Record<string, string> } {
  const text = joinTagLines(toText(html), marks)
  return unflatten(text, marks)
}

/** Joins lines that hold only tags, such as the start of a loop, to the next: they would leave empty lines behind. */
function joinTagLines(text: string, marks: Mark[]): string {
  return text.replace(/^[ \t]*((?:carillon-mark-\d+x[ \t]*)+)\n/gm, (line, found: string) => {
    const isTagsOnly = [...found.matchAll(/\d+/g)].every(
      ([number]) => marks[Number(number)]?.kind !== 'output',
    )
    return isTagsOnly ? found.trim() : line
  })
}

/** Removes the blank lines and spaces that loops and conditions leave in a filled-in text. */
export function tidyText(text: string): string {
  return text
    .replace(/^[ \t]+|[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
