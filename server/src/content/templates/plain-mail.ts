/**
 * A mail without a template, in the layout `default`: its heading, its text and a button. Compiled like any template, when
 * the layout is published, so that sending only has to fill it in.
 */
import { escapeHtml } from '../../platform/text/html.ts'
import type { Source } from '../liquid/source.ts'
import { createTemplateEngine } from '../liquid/template-engine.ts'
import type { MailLinks } from '../messages/mail-links.ts'
import type { PlainContent } from '../messages/plain-content.ts'
import { DEFAULT_LAYOUT } from '../template-parts/default-layout.ts'
import { BUILT_IN_MESSAGES } from '../translations/built-in-messages.ts'
import type { Translate } from '../translations/messages.ts'
import type { CompiledText } from './compile.ts'
import { compileMail } from './email/compile-mail.ts'
import { fillText, prepareText, type ReadyText, type RenderContext, RenderFailure } from './render.ts'

/** The text is put in place of this paragraph once the rest is filled in: nothing it contains can exceed a budget. */
const TEXT = 'carillon-plain-text'
/** `dir="auto"`: nobody knows in which language a payload is written. */
const BODY: Source = {
  field: 'body',
  text: `<h1 dir="auto">{{ heading }}</h1>
<p dir="auto">${TEXT}</p>
{% if button %}<p><a class="button" href="{{ button.url }}">{% if button.label %}{{ button.label }}{% else %}{{ 'links.open' | t }}{% endif %}</a></p>{% endif %}`,
}
const TEXT_PARAGRAPH = new RegExp(`(<p\\b[^<>]*>)${TEXT}</p>`)
const engine = createTemplateEngine('plain')

/** Throws if the layout cannot be used. */
export async function compilePlainMail(layout: Source, partials: Map<string, Source>): Promise<CompiledText> {
  const { html, html_parts } = await compileMail(BODY, layout, { engine, partials })
  return { mode: 'html', source: html, parts: html_parts }
}

export const preparePlainMail = (compiled: CompiledText): ReadyText => prepareText('layout', compiled)

let builtIn: Promise<ReadyText> | undefined

/** Compiled once per process. */
export function builtInPlainMail(): Promise<ReadyText> {
  builtIn ??= compilePlainMail({ field: 'layout', text: DEFAULT_LAYOUT }, new Map()).then(preparePlainMail)
  builtIn.catch(() => {
    builtIn = undefined
  })
  return builtIn
}

/** A mistake in the tenant's layout or translations must not hold back a mail for which nobody wrote a template. */
export function layOutMail(
  own: ReadyText | null,
  builtIn: ReadyText,
  content: PlainContent,
  context: RenderContext,
): string {
  try {
    return fillPlainMail(own ?? builtIn, content, context)
  } catch (error) {
    if (!(error instanceof RenderFailure) || own === null || error.isTimeout) throw error
    return fillPlainMail(builtIn, content, context)
  }
}

/** Links have the labels of the text part. */
export function withFallbacks(translate: Translate, links: MailLinks | null): Translate {
  const known: Record<string, string> = {
    ...BUILT_IN_MESSAGES,
    ...(links?.labels && {
      'links.unsubscribe': links.labels.unsubscribe,
      'links.preferences': links.labels.preferences,
    }),
  }
  return (key, parameters) => {
    if (links?.labels && /^links\.(unsubscribe|preferences)$/.test(key)) return known[key]!
    try {
      return translate(key, parameters)
    } catch (error) {
      if (known[key] === undefined) throw error
      return known[key]
    }
  }
}

/** The HTML. Throws RenderFailure. */
function fillPlainMail(ready: ReadyText, mail: PlainContent, context: RenderContext): string {
  const { subject, text, button } = mail
  const filled = fillText(ready, { heading: subject, button }, { ...context, subject })
  return filled.replace(TEXT_PARAGRAPH, (_whole, start: string) =>
    text === subject ? '' : toParagraphs(text, start),
  )
}

function toParagraphs(text: string, start: string): string {
  return text
    .split(/\n{2,}/)
    .map(paragraph => `${start}${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('')
}
