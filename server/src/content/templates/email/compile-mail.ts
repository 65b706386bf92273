/** A mail as it is stored when published: layout, body and partials in one, styles on the elements, and its text. */
import { invalidTemplate, mistakeAt, mistakeIn, type Source } from '../../liquid/source.ts'
import { markText } from './check-html.ts'
import { type Flat, type FlattenOptions, flatten, unflatten } from './flatten.ts'
import { HtmlMistake } from './html-tokens.ts'
import { inlineCss, UnusableStyles } from './inline-css.ts'
import { makeTextPart } from './text-part.ts'

export interface CompiledMail {
  html: string
  html_parts: Record<string, string>
  text: string
  text_parts: Record<string, string>
}

/** All that can be wrong beside the styles. */
export function checkMail(body: Source, layout: Source | undefined, options: FlattenOptions): void {
  readMail(body, layout, options)
}

export async function compileMail(
  body: Source,
  layout: Source | undefined,
  options: FlattenOptions,
): Promise<CompiledMail> {
  const { flat, marked } = readMail(body, layout, options)
  const inlined = await inlineCss(marked).catch(error => refuseStyles(error, layout ?? body))
  const html = unflatten(inlined, flat.marks)
  const text = makeTextPart(flat.html, flat.marks)
  return { html: html.text, html_parts: html.parts, text: text.text, text_parts: text.parts }
}

function readMail(
  body: Source,
  layout: Source | undefined,
  options: FlattenOptions,
): { flat: Flat; marked: string } {
  // First alone: an element that it leaves open would be blamed on the layout.
  if (layout !== undefined) readMail(body, undefined, options)
  const flat = flatten(body, layout, options)
  try {
    return { flat, marked: markText(flat.html, flat.marks) }
  } catch (error) {
    if (!(error instanceof HtmlMistake)) throw error
    const { source, index } = flat.placeOf(error.index)
    throw invalidTemplate([mistakeAt(source, index, error.message)])
  }
}

function refuseStyles(error: unknown, source: Source): never {
  if (!(error instanceof UnusableStyles)) throw error
  throw invalidTemplate([mistakeIn(source, undefined, error.message)])
}
