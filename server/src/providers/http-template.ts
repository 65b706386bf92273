/** The Liquid templates in the settings of the generic HTTP kind. They come from tenants, so they are kept small. */
import { Liquid } from 'liquidjs'
import { Misconfigured } from './http-provider.ts'

const engine = new Liquid({
  // A typing error must not become an empty text. `if` and `default` may still ask for what may be missing.
  strictVariables: true,
  strictFilters: true,
  lenientIf: true,
  ownPropertyOnly: true,
  // Nothing to include: without it, templates could read the server's files.
  templates: {},
  parseLimit: 100_000,
  renderLimit: 200,
  memoryLimit: 10_000_000,
})

/** Whether it is Liquid at all, so that mistakes are told to whoever saves them. */
export function isTemplate(source: string): boolean {
  try {
    engine.parse(source)
    return true
  } catch {
    return false
  }
}

/** Fills in a template; a mistake in it is the settings' fault and names the setting. */
export function renderTemplate(setting: string, source: string, variables: object): string {
  try {
    return engine.parseAndRenderSync(source, variables)
  } catch (error) {
    throw new Misconfigured(`the template of ${setting}: ${(error as Error).message}`)
  }
}
