/** A part that is not saved cannot be used by a template yet; so that it can be seen, it is shown as a mail of its own. */
import type { TemplatePartKind } from '@carillon/contract'
import type { Content } from '../templates/content.ts'
import { pathsIn, payloadFor } from '../templates/liquid-usage.ts'

/** In one line, so that the lines of the layout keep their numbers. */
const SAMPLE =
  '<h1>A heading</h1><p>This is where the body of a template stands, with <a href="https://example.com">a link</a>.</p><p><a class="button" href="https://example.com">A button</a></p><p class="muted">And something in small print.</p>'

export function asMail(
  kind: TemplatePartKind,
  source: string,
): { content: Content; data: Record<string, unknown> } {
  const body = kind === 'layout' ? source.replace(/\{\{-?\s*content\s*-?\}\}/g, SAMPLE) : source
  const data = payloadFor(pathsIn(body))
  return {
    data,
    content: {
      subject: 'A sample',
      title: null,
      body,
      text: null,
      layout: kind === 'layout' ? null : 'default',
      variables: Object.entries(data).map(([name, sample]) => ({
        name,
        required: false,
        description: '',
        sample,
      })),
    },
  }
}
