/** Fills in a compiled template with a payload. */
import type { Channel, TemplateVariable } from '@carillon/contract'
import type { Liquid, Template } from 'liquidjs'
import { offsetAt } from '../../platform/time/local-time.ts'
import type { BrandingVariables } from '../branding/branding.ts'
import { describeMistake, toMistake } from '../liquid/mistake.ts'
import { createTemplateEngine, type Globals, type Mode, renderLiquid } from '../liquid/template-engine.ts'
import type { MailLinks } from '../messages/mail-links.ts'
import type { MessageContent } from '../messages/message.ts'
import { directionOf, knownLocale } from '../translations/locale.ts'
import type { Translate } from '../translations/messages.ts'
import type { Compiled, CompiledText } from './compile.ts'
import { tidyText } from './email/text-part.ts'

/** Parsed, so that each message only has to be filled in. */
export interface ReadyTemplate {
  channel: Channel
  variables: TemplateVariable[]
  subject: ReadyText | null
  text: ReadyText
  html: ReadyText | null
}

export interface ReadyText {
  field: string
  engine: Liquid
  templates: Template[]
  mode: Mode
}

/** What a render needs apart from the payload. */
export interface RenderContext {
  branding: BrandingVariables
  recipient: { id: string | null; address: string; locale: string; timezone: string }
  notification: { id: string; type: string }
  /** null where the recipient cannot unsubscribe. */
  links: MailLinks | null
  translate: Translate
}

/** The template cannot be filled in with this payload. */
export class RenderFailure extends Error {
  /** The machine was too slow: a retry may work. */
  readonly isTimeout: boolean

  constructor(message: string, isTimeout = false) {
    super(message)
    this.isTimeout = isTimeout
  }
}

/** Empty instead of undefined, for templates that do not check first. */
const NO_LINKS = { unsubscribe: null, preferences: null }

/** The longest line a mail may have (RFC 5322). */
const MAX_SUBJECT_LENGTH = 998
const MAX_HTML_LENGTH = 300_000

export function prepare(channel: Channel, variables: TemplateVariable[], compiled: Compiled): ReadyTemplate {
  return {
    channel,
    variables,
    subject: compiled.subject && prepareText(channel === 'email' ? 'subject' : 'title', compiled.subject),
    text: prepareText(compiled.html === null ? 'body' : 'text', compiled.text),
    html: compiled.html && prepareText('body', compiled.html),
  }
}

export function prepareText(field: string, { mode, source, parts }: CompiledText): ReadyText {
  const engine = createTemplateEngine(mode, parts)
  return { field, engine, templates: engine.parse(source), mode }
}

/** Throws RenderFailure. */
export function renderTemplate(
  template: ReadyTemplate,
  payload: Record<string, unknown>,
  context: RenderContext,
): MessageContent {
  const variables = declaredValues(template, payload)
  const globals = globalsOf(context)
  const fill = (text: ReadyText) => fillIn(text, variables, globals)
  // A line break in a subject would begin another header.
  const subject = template.subject === null ? '' : fill(template.subject).replace(/\s+/g, ' ').trim()
  if (template.subject !== null && subject === '')
    throw new RenderFailure(`${template.subject.field}: it is empty with this payload`)
  if (subject.length > MAX_SUBJECT_LENGTH)
    throw new RenderFailure(`${template.subject?.field}: it has more than ${MAX_SUBJECT_LENGTH} characters`)
  globals.values.subject = subject
  const html = template.html === null ? null : fill(template.html)
  if (html !== null && html.length > MAX_HTML_LENGTH)
    throw new RenderFailure(`body: the mail has more than ${MAX_HTML_LENGTH} characters`)
  const filled = fill(template.text)
  const text = template.text.mode === 'stripped' ? tidyText(filled) : filled.trim()
  return { subject, text, html }
}

/** Fills in a single text that declares no variables. Throws RenderFailure. */
export function fillText(
  text: ReadyText,
  variables: object,
  context: RenderContext & { subject: string },
): string {
  const globals = globalsOf(context)
  globals.values.subject = context.subject
  return fillIn(text, variables, globals)
}

function globalsOf({ translate, branding, notification, recipient, links }: RenderContext): Globals {
  const { unsubscribe, preferences } = links ?? NO_LINKS
  const { locale, timezone } = recipient
  return {
    values: {
      branding,
      notification,
      recipient: { ...recipient, direction: directionOf(locale) },
      links: { unsubscribe, preferences },
    },
    translate,
    calendar: { locale: knownLocale(locale), offsetAt: (at: number) => offsetAt(timezone, at) },
  }
}

/** A template sees only declared variables. A missing value that is not required is null, and no mistake. */
function declaredValues(
  { variables }: ReadyTemplate,
  payload: Record<string, unknown>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const missing: string[] = []
  for (const { name, required } of variables) {
    const value = Object.hasOwn(payload, name) ? payload[name] : null
    if (value === null && required) missing.push(name)
    values[name] = value
  }
  if (missing.length === 0) return values
  throw new RenderFailure(`the payload has no ${missing.map(name => `"${name}"`).join(', ')}`)
}

function fillIn(text: ReadyText, variables: object, globals: Globals): string {
  try {
    return renderLiquid(text.engine, text.templates, variables, globals)
  } catch (error) {
    const { message, line, column, part, isTimeout } = toMistake(error)
    // In compiled mails, lines differ from the author's, and partials are copies named name@call.
    const place = text.mode === 'plain' && line !== undefined ? { line, column } : {}
    const where = part === undefined ? {} : { part: part.replace(/@\d+$/, '') }
    throw new RenderFailure(`${text.field}: ${describeMistake({ message, ...place, ...where })}`, isTimeout)
  }
}
