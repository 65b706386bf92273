/** The Liquid templates in the settings of the generic HTTP kind. They come from tenants, so they are kept small. */
import { createEngine } from '../../content/liquid/engine.ts'
import { describeMistake, toMistake } from '../../content/liquid/mistake.ts'
import { Misconfigured } from './http-provider.ts'

const engine = createEngine()

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
    throw new Misconfigured(`the template of ${setting}: ${describeMistake(toMistake(error))}`)
  }
}
