/** Whatever a script does to the language, it cannot get at what the prelude keeps to itself. */
import { expect, test } from 'vitest'
import { job, resultOf, testSandbox } from './scripts.fixture.ts'

/** As a prelude should be: what it needs is taken before the script runs. */
const PRELUDE = `
  const { stringify, parse } = JSON
  globalThis.kv = {
    get: async key => parse(await __call('kv.get', stringify(key))),
    fail: async key => parse(await __call('kv.fail', stringify(key))),
  }`

/** Keeps every function that passes through a builtin, a setter or a stack trace. */
const SPY = `
  const { apply, ownKeys, defineProperty, getOwnPropertyDescriptor } = Reflect
  const add = Set.prototype.add
  const seen = new Set()
  let isKeeping = false
  const keep = value => {
    if (isKeeping) return
    isKeeping = true
    if (typeof value === 'function') apply(add, seen, [value])
    else if (typeof value === 'object' && value !== null) {
      const keys = ownKeys(value)
      for (let i = 0; i < keys.length; i++) {
        const found = getOwnPropertyDescriptor(value, keys[i])?.value
        if (typeof found === 'function') apply(add, seen, [found])
      }
    }
    isKeeping = false
  }
  const builtins = ownKeys(globalThis).map(name => globalThis[name]).filter(value => Object(value) === value)
  for (const target of builtins.flatMap(value => [value, value.prototype]).filter(value => Object(value) === value)) {
    if (target === seen || target === kv || target === event) continue
    for (const key of ownKeys(target)) {
      const { value: original, configurable } = getOwnPropertyDescriptor(target, key)
      if (typeof original !== 'function' || !configurable || original.prototype || original === Proxy) continue
      defineProperty(target, key, {
        value: function (...args) {
          keep(this)
          for (let i = 0; i < args.length; i++) keep(args[i])
          const result = apply(original, this, args)
          keep(result)
          return result
        },
      })
    }
  }
  for (const key of ['0', '1', 'id', 'get', 'set', 'value', 'resolve', 'reject', 'name', 'message', 'default', 'toJSON'])
    defineProperty(Object.prototype, key, {
      __proto__: null,
      configurable: true,
      get() { keep(this) },
      set(value) { keep(this); keep(value) },
    })
  let isLooking = false
  const keepFrames = (error, frames) => {
    if (isLooking) return
    isLooking = true
    for (let i = 0; i < frames.length; i++) keep(frames[i].getFunction())
    isLooking = false
  }
  try { Error.prepareStackTrace = keepFrames } catch {}
  Error.stackTraceLimit = 1000
  const look = function () {
    try { keep(look.caller); keep(arguments.callee.caller) } catch {}
    try { Error.captureStackTrace({}); new Error().stack; null.x } catch {}
  }
  const bait = { get x() { look() }, toJSON() { look(); return this.y }, y: new Proxy({}, { get() { look() }, ownKeys() { look(); return [] } }) }
`

/** Names of the calls that arrive when a script uses whatever the spy has found. */
async function callsOfSpy(prelude: string): Promise<string[]> {
  const names: string[] = []
  const source = `${SPY}
    const pending = [kv.get(bait), kv.get('x'), kv.fail(bait).catch(look)]
    pending.forEach(keep)
    keep(await pending[0]); keep(await pending[1]); await pending[2]
    const found = [...seen]
    for (const one of found) try { await one('escape', '[]') } catch {}
    for (const one of found) try { new one('escape', '[]') } catch {}
    export default found.length > 0`
  async function call(name: string): Promise<string> {
    names.push(name)
    if (name === 'kv.fail') throw new Error('no')
    return '{"found":true}'
  }
  expect(await resultOf(testSandbox(), job(source, { prelude, call }))).toBe(true)
  return names
}

test('a script cannot get the function that calls the host', async () => {
  expect(await callsOfSpy(PRELUDE)).toEqual(['kv.get', 'kv.get', 'kv.fail'])
})

test('it could with a prelude that looks things up too late', async () => {
  const careless = PRELUDE.replace("__call('kv.get', ", "__call.call(null, 'kv.get', ")
  expect(await callsOfSpy(careless)).toContain('escape')
})

test('promises of the host are safe to await, whatever became of Promise.prototype', async () => {
  const outcome = await resultOf(
    testSandbox(),
    job(
      `const seen = []
      const { then } = Promise.prototype
      Promise.prototype.then = function (...args) { seen.push('then'); return Reflect.apply(then, this, args) }
      Object.defineProperty(Promise.prototype, 'constructor', { get() { seen.push('constructor') } })
      const promise = kv.get('x')
      seen.length = 0
      const outcome = new Promise(resolve => Reflect.apply(then, promise, [resolve]))
      export default async () => { const { found } = await outcome; return { found, seen: seen.slice(0, 1) } }`,
      { prelude: PRELUDE, call: async () => '{"found":true}' },
    ),
  )
  expect(outcome).toEqual({ found: true, seen: ['constructor'] })
})

test('calls that wait when a run ends are not made in the name of the next one', async () => {
  const sandbox = testSandbox({ workers: 1 })
  const strangers: string[] = []
  for (let round = 0; round < 50; round++) {
    const flood = job('for (let n = 0; n < 200; n++) host("steal", n); throw "over"', { owner: 'attacker' })
    const innocent = job('export default (await host("mine")).name', {
      owner: 'innocent',
      call: async (name, argsJson) => {
        if (name !== 'mine') strangers.push(name)
        return JSON.stringify({ name, args: JSON.parse(argsJson) })
      },
    })
    const [, result] = await Promise.all([resultOf(sandbox, flood), resultOf(sandbox, innocent)])
    expect(result).toBe('mine')
  }
  expect(strangers).toEqual([])
})
