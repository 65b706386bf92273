/** A mail as stored when published: layout, body and partials combined, styles inlined, and a text part. */
import { invalidTemplate, mistakeAt, mistakeIn, type Source } from '../../liquid/source.ts'
import { normalizeHtml } from './check-html.ts'
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

/** Finds every mistake except those in styles. */
export function checkMail(body: Source, layout: Source | undefined, options: FlattenOptions): void {
  readMail(body, layout, options)
}

export async function compileMail(
  body: Source,
  layout: Source | undefined,
  options: FlattenOptions,
): Promise<CompiledMail> {
  const { flat, normalized } = readMail(body, layout, options)
  const inlined = await inlineCss(normalized).catch(error => refuseStyles(error, layout ?? body))
  const html = unflatten(inlined, flat.marks)
  const text = makeTextPart(flat.html, flat.marks)
  return { html: html.text, html_parts: html.parts, text: text.text, text_parts: text.parts }
}

function readMail(
  body: Source,
  layout: Source | undefined,
  options: FlattenOptions,
): { flat: Flat; normalized: string } {
  // The body alone first: otherwise an element it leaves open would be blamed on the layout.
  if (layout !== undefined) readMail(body, undefined, options)
  const flat = flatten(body, layout, options)
  try {
    return { flat, normalized: normalizeHtml(flat.html, flat.marks) }
  } catch (error) {
    if (!(error instanceof HtmlMistake)) throw error
    const { source, index } = flat.originOf(error.index)
    throw invalidTemplate([mistakeAt(source, index, error.message)])
  }
}

function refuseStyles(error: unknown, source: Source): never {
  if (!(error instanceof UnusableStyles)) throw error
  throw invalidTemplate([mistakeIn(source, undefined, error.message)])
}
