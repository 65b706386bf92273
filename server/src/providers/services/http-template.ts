/** The Liquid templates in the settings of the kind `http`. Tenants write them, so the engine limits their work. */
import { createEngine } from '../../content/liquid/engine.ts'
import { describeMistake, toMistake } from '../../content/liquid/mistake.ts'
import { Misconfigured } from './http-provider.ts'

const engine = createEngine()

/** Whether it is valid Liquid; checked when the settings are saved, where the author sees the mistake. */
export function isTemplate(source: string): boolean {
  try {
    engine.parse(source)
    return true
  } catch {
    return false
  }
}

/**
 * Renders a template. Throws Misconfigured, naming the setting, when there is a mistake in it. It was valid when it was
 * saved, so only this message cannot be rendered, such as one whose payload lacks a field.
 */
export function renderTemplate(setting: string, source: string, variables: object): string {
  try {
    return engine.parseAndRenderSync(source, variables)
  } catch (error) {
    throw new Misconfigured(`the template of ${setting}: ${describeMistake(toMistake(error))}`, 'message')
  }
}
