/** Turns what an author writes into what is stored with a version: Liquid that only has to be filled in. */
import type { Channel } from '@carillon/contract'
import { createTurns } from '../../platform/queue/turns.ts'
import type { Source } from '../liquid/source.ts'
import { createTemplateEngine, type Mode } from '../liquid/template-engine.ts'
import { findUsage } from '../liquid/usage.ts'
import type { Parts } from '../template-parts/template-parts.ts'
import { checkContent, type TemplateResources } from './check.ts'
import { checkMail, compileMail } from './email/compile-mail.ts'
import type { Content } from './queries.ts'

export interface CompiledText {
  mode: Mode
  source: string
  /** The partials it renders, as they were when published. */
  parts: Record<string, string>
}

export interface Compiled {
  /** Email: the subject; push and in_app: the title. */
  subject: CompiledText | null
  text: CompiledText
  html: CompiledText | null
}

const engine = createTemplateEngine('plain')

/**
 * Tenants publish and preview one template after the other, and wait for their turn before they take a connection: styles
 * may take seconds, and whoever sends many of them at once must not keep other tenants waiting.
 */
export const compileTurns = createTurns()

/** Throws if the template cannot be published. Only mistakes in styles are not found before compiling. */
export function checkTemplate(
  channel: Channel,
  content: Content,
  locale: string,
  resources: TemplateResources,
): void {
  checkContent(content, locale, resources)
  if (channel === 'email') checkMail(...mailSources(content, resources.parts))
}

export async function compileTemplate(
  channel: Channel,
  content: Content,
  locale: string,
  resources: TemplateResources,
): Promise<Compiled> {
  checkContent(content, locale, resources)
  const heading = content.subject ?? content.title
  const subject = heading === null ? null : compileText(heading, resources.parts)
  if (channel !== 'email') return { subject, text: compileText(content.body, resources.parts), html: null }
  const mail = await compileMail(...mailSources(content, resources.parts))
  return {
    subject,
    html: { mode: 'html', source: mail.html, parts: mail.html_parts },
    text:
      content.text === null
        ? { mode: 'stripped', source: mail.text, parts: mail.text_parts }
        : compileText(content.text, resources.parts),
  }
}

/** The parts that the content uses, as `layout:name` and `partial:name`. */
export function partsOf(content: Content, { partials }: Parts): string[] {
  const found = new Set<string>()
  for (const text of [content.subject, content.title, content.body, content.text])
    if (text !== null) for (const name of reachablePartials(text, partials)) found.add(`partial:${name}`)
  const layout = content.layout === null ? [] : [`layout:${content.layout}`]
  return [...layout, ...[...found].sort()]
}

/** The names of the partials that a text renders, directly or through others. */
export function partialsIn(source: string, { partials }: Parts): string[] {
  return reachablePartials(source, partials)
}

function compileText(source: string, { partials }: Parts): CompiledText {
  const names = reachablePartials(source, partials)
  const parts = Object.fromEntries(names.map(name => [name, partials.get(name)!.text]))
  return { mode: 'plain', source, parts }
}

function reachablePartials(source: string, partials: Map<string, Source>): string[] {
  const found = new Set<string>()
  const visit = (text: string) => {
    for (const { name } of findUsage(engine, text).parts) {
      if (name === undefined || found.has(name)) continue
      found.add(name)
      visit(partials.get(name)?.text ?? '')
    }
  }
  visit(source)
  return [...found]
}

function mailSources(content: Content, parts: Parts): Parameters<typeof compileMail> {
  const layout = content.layout === null ? undefined : parts.layouts.get(content.layout)
  return [{ field: 'body', text: content.body }, layout, { engine, partials: parts.partials }]
}
