import { expect, it } from 'vitest'
import { createTemplateEngine, renderLiquid } from './template-engine.ts'

/** Longer than a render may take. */
const TOO_LONG_MS = 250

function render(source: string, variables: object): string {
  const engine = createTemplateEngine('plain')
  const globals = { values: {}, translate: () => '', calendar: { locale: 'en', offsetAt: () => 0 } }
  return renderLiquid(engine, engine.parse(source), variables, globals)
}

/** The processor is somebody else's for a while. */
const stall = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TOO_LONG_MS)

function compute(): void {
  const before = process.cpuUsage()
  const used = ({ user, system } = process.cpuUsage(before)) => user + system
  while (used() < TOO_LONG_MS * 1000);
}

/** An order whose number comes after what its reads do, one after the other. */
function orderThat(...reads: (() => void)[]) {
  let read = 0
  const order = {
    get number() {
      reads[read++]?.()
      return 1842
    },
  }
  return { order, reads: () => read }
}

it('a render that the machine held up starts over', () => {
  const { order, reads } = orderThat(stall, stall)
  expect([render('{{ order.number }}{{ 1 }}', { order }), reads()]).toEqual(['18421', 3])
})

it('a render that is held up each time ends', () => {
  const { order, reads } = orderThat(stall, stall, stall, stall)
  expect(() => render('{{ order.number }}{{ 1 }}', { order })).toThrow(/render limit/)
  expect(reads()).toBe(3)
})

it('a render that takes long itself is not repeated', () => {
  const { order, reads } = orderThat(compute)
  expect(() => render('{{ order.number }}{{ 1 }}', { order })).toThrow(/render limit/)
  expect(reads()).toBe(1)
})
