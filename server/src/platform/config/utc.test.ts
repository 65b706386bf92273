import { afterEach, expect, it } from 'vitest'
import { createTemplateEngine, renderLiquid } from '../../content/liquid/template-engine.ts'
import { useUtc } from './utc.ts'

const { TZ } = process.env
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

function show(at: string): string {
  const engine = createTemplateEngine('plain')
  const calendar = { locale: 'en', offsetAt: () => 0 }
  const globals = { values: {}, translate: () => '', calendar }
  return renderLiquid(engine, engine.parse('{{ at | date: "%H:%M" }}'), { at }, globals)
}

it('no hour is skipped or shifted where the server changes to summer time', () => {
  process.env.TZ = 'Europe/Berlin'
  useUtc()
  for (const hour of ['00:30', '01:30', '02:30', '03:30']) expect(show(`2026-03-29T${hour}:00Z`)).toBe(hour)
})
