/** The same texts rendered by LiquidJS alone: no limits, no translations, no look-ups. */
import { Liquid, type Template } from 'liquidjs'
import type { Compiled, CompiledText } from '../../../server/dist/content/templates/compile.js'
import { TRANSLATED } from './order-templates.ts'

export interface RawTemplate {
  /** All texts of a message of this template, one after another. */
  render(variables: object, globals: object): string
}

export function parseRaw({ subject, html, text }: Compiled): RawTemplate {
  const parsed = [subject, html, text].filter(part => part !== null).map(parseText)
  return {
    render: (variables, globals) =>
      parsed.map(({ engine, templates }) => engine.renderSync(templates, variables, { globals })).join('\n'),
  }
}

function parseText({ mode, source, parts }: CompiledText): { engine: Liquid; templates: Template[] } {
  const engine = new Liquid({
    templates: parts,
    cache: true,
    ...(mode === 'html' && { outputEscape: 'escape' as const }),
  })
  engine.registerFilter('t', (key: string) => TRANSLATED[key])
  return { engine, templates: engine.parse(source) }
}
