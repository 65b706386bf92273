/** What hostile scripts try, and how each may end. */

export interface Attack {
  name: string
  source: string
  /** Any of these failures. What QuickJS notices first depends on its version, that it ends does not. */
  ends?: RegExp
  /** Or nothing is wrong with it, and this is its result. */
  result?: unknown
  /** Only the end of its time ends it: the interpreter does not look up. */
  outlasts?: boolean
}

const cpu = /^cpu_limit/
/** Whichever a slow machine reaches first. */
const memory = /^(memory_limit|cpu_limit)/
const resources = /^(cpu_limit|memory_limit|timeout|output_limit)/
/** QuickJS refuses some of what does not fit with an error of its own. */
const refused = /^(memory_limit|cpu_limit|timeout|exception: (RangeError|InternalError|TypeError))/
const stack = /^exception: RangeError: Maximum call stack size exceeded/

export const ATTACKS: Attack[] = [
  // Time
  { name: 'endless loop', source: 'for (;;);', ends: cpu },
  {
    name: 'endless loop that refuses to end',
    source: 'for (;;) try { for (;;); } catch {} finally { for (;;); }',
    ends: cpu,
  },
  { name: 'endless loop of awaits', source: 'for (;;) await null', ends: cpu },
  {
    name: 'endless chain of promises',
    source: 'const again = () => Promise.resolve().then(again); await again()',
    ends: resources,
  },
  {
    name: 'endless loop after the result',
    source: '(async () => { for (;;) await null })(); export default 5',
    ends: cpu,
  },
  {
    name: 'endless loop in a rejection',
    source: 'await Promise.reject().catch(() => { for (;;); })',
    ends: cpu,
  },
  {
    name: 'endless generator',
    source: 'function* all() { for (;;) yield 1 } for (const one of all());',
    ends: cpu,
  },
  {
    name: 'endless asynchronous generator',
    source: 'async function* all() { for (;;) yield 1 } for await (const one of all());',
    ends: cpu,
  },
  { name: 'endless label', source: 'again: for (;;) { for (;;) continue again }', ends: cpu },
  {
    name: 'endless iterator',
    source: '[...{ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }]',
    ends: resources,
  },
  {
    name: 'endless length',
    source: '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    outlasts: true,
    ends: resources,
  },
  {
    name: 'endless sorting',
    source: 'Array.from({ length: 1e5 }, (_, i) => i).sort(() => { for (;;); })',
    ends: cpu,
  },
  { name: 'catastrophic regular expression', source: '/^(a+)+$/.test("a".repeat(40) + "b")', ends: cpu },
  {
    name: 'sticky regular expression',
    source: 'const each = /(?:x*)*y/y; for (;;) { each.lastIndex = 0; each.test("x".repeat(30)) }',
    ends: cpu,
  },
  {
    name: 'regular expression over everything',
    source: 'for (;;) "x".repeat(1e5).replace(/x/g, () => "y")',
    ends: resources,
  },
  {
    name: 'dates',
    source: 'for (let at = 0; ; at += 864e5) Date.parse(new Date(at % 8e15).toString())',
    ends: cpu,
  },
  { name: 'loop in code made from text', source: '(0, eval)("for (;;);")', ends: cpu },
  { name: 'loop in a made function', source: 'new Function("with (this) for (;;);")()', ends: cpu },

  // Memory
  { name: 'an array as text', source: "new Array(1e9) + ''", outlasts: true, ends: resources },
  { name: 'doubling a text', source: 'let text = "ab"; for (;;) text += text', ends: refused },
  {
    name: 'large texts',
    source: 'const all = []; for (let i = 0; ; i++) all.push(i + "x".repeat(1 << 20))',
    ends: memory,
  },
  { name: 'many objects', source: 'const all = []; for (;;) all.push({})', ends: memory },
  {
    name: 'many objects again and again',
    source: 'for (;;) try { const all = []; for (;;) all.push({}) } catch {}',
    ends: resources,
  },
  { name: 'many promises', source: 'for (;;) Promise.resolve().then(() => {})', ends: resources },
  {
    name: 'many promises that never end',
    source: 'const all = []; for (;;) all.push(new Promise(() => {}))',
    ends: memory,
  },
  {
    name: 'many generators',
    source:
      'const all = []; for (;;) { const one = (function* () { yield all })(); one.next(); all.push(one) }',
    ends: memory,
  },
  {
    name: 'a set that grows while it is read',
    source: 'const all = new Set([0]); for (const one of all) all.add(one + 1)',
    ends: resources,
  },
  { name: 'weak references', source: 'const all = []; for (;;) all.push(new WeakRef({}))', ends: resources },
  {
    name: 'finalizers',
    source: 'const all = new FinalizationRegistry(() => {}); for (;;) all.register({}, 1)',
    ends: resources,
  },
  { name: 'a large typed array', source: 'new Uint8Array(2e9)', ends: refused },
  {
    name: 'many shared buffers',
    source: 'const all = []; for (;;) all.push(new SharedArrayBuffer(1 << 20))',
    ends: refused,
  },
  { name: 'filling an array', source: 'new Array(1e8).fill(0)', outlasts: true, ends: refused },
  { name: 'a large power', source: '2n ** (2n ** 40n)', outlasts: true, ends: refused },
  { name: 'squaring', source: 'let x = 3n; for (;;) x = x * x', outlasts: true, ends: refused },
  { name: 'padding', source: '"x".padEnd(2 ** 30, "xy")', ends: refused },
  { name: 'joining holes', source: 'new Array(3e7).join("ab")', outlasts: true, ends: refused },
  {
    name: 'species',
    source:
      'class Big extends Array { static get [Symbol.species]() { return function () { return new Uint8Array(2e9) } } } Big.from([1]).map(x => x)',
    ends: refused,
  },

  // Stack
  { name: 'deep recursion', source: 'function deeper() { deeper() } deeper()', ends: stack },
  {
    name: 'deep recursion through a getter',
    source: 'const it = { get it() { return this.it } }; it.it',
    ends: stack,
  },
  {
    name: 'deep recursion through a proxy',
    source: 'const it = new Proxy({}, { get: (t, key, self) => self[key] }); it.x',
    ends: stack,
  },
  {
    name: 'deep recursion through toJSON',
    source: 'const it = { toJSON: () => JSON.stringify(it) }; export default it',
    ends: stack,
  },
  {
    name: 'deep recursion through yield',
    source: 'function* all() { yield* all() } [...all()]',
    ends: stack,
  },
  { name: 'parsing deep JSON', source: 'JSON.parse("[".repeat(1e5))', ends: stack },
  { name: 'parsing deep code', source: 'eval("(".repeat(1e5))', ends: stack },
  { name: 'deep code', source: '('.repeat(1e5), ends: stack },
  {
    name: 'a deep regular expression',
    source: 'new RegExp("(?:".repeat(1e5) + ")".repeat(1e5)).test("x")',
    ends: /^exception: (RangeError|SyntaxError)/,
  },
  {
    name: 'a deep result',
    source: 'let all = []; for (let i = 0; i < 1e4; i++) all = [all]; export default all',
    ends: /^(cpu_limit|exception: RangeError)/,
  },

  // What leaves
  { name: 'a large result', source: 'export default "x".repeat(4e6)', ends: /^output_limit/ },
  {
    name: 'a result with many keys',
    source: 'export default Object.fromEntries(Array.from({ length: 2e4 }, (_, i) => [i, i]))',
    ends: /^output_limit/,
  },
  {
    name: 'a result that is never finished',
    source: 'export default { toJSON() { return { next: Object.create(this) } }, get x() { return this } }',
    ends: /^(exception|cpu_limit|memory_limit)/,
  },
  {
    name: 'a result with an endless getter',
    source: 'export default { get total() { for (;;); } }',
    ends: cpu,
  },
  {
    name: 'a result that is an endless proxy',
    source: 'export default new Proxy({}, { ownKeys() { for (;;); } })',
    ends: cpu,
  },
  { name: 'a result with endless toJSON', source: 'export default { toJSON() { for (;;); } }', ends: cpu },
  {
    name: 'a result in a circle',
    source: 'const it = {}; it.it = it; export default it',
    ends: /^exception: TypeError: circular reference/,
  },
  {
    name: 'calling the host a million times',
    source: 'for (let i = 0; i < 1e6; i++) host("get")',
    ends: /^exception: The script made more than 1,000 calls/,
  },
  {
    name: 'calling on after the limit',
    source: 'for (;;) try { for (;;) host("get") } catch {}',
    ends: /^exception: The script made more than 1,000 calls/,
  },
  {
    name: 'a large call',
    source: 'await host("get", "x".repeat(3e5))',
    ends: /^exception: The script called get with more than 256 KiB/,
  },
  {
    name: 'a large call that hides',
    source: 'try { await host("get", "x".repeat(3e5)) } catch {}',
    ends: /^exception: The script called get with more than 256 KiB/,
  },
  {
    name: 'large calls without awaiting',
    source: 'for (;;) host("get", "x".repeat(2e5))',
    ends: /^exception: The script made too many calls without awaiting/,
  },
  {
    name: 'an argument with an endless getter',
    source: 'await host("get", { get key() { for (;;); } })',
    ends: cpu,
  },
  {
    name: 'an argument that is an endless proxy',
    source: 'await host("get", new Proxy([], { get() { for (;;); } }))',
    ends: cpu,
  },
  { name: 'a host that never answers', source: 'await host("hang")', outlasts: true, ends: /^timeout/ },
  {
    name: 'hosts that never answer',
    source: 'await Promise.race(Array.from({ length: 100 }, () => host("hang")))',
    outlasts: true,
    ends: /^timeout/,
  },
  {
    name: 'a promise that nobody keeps',
    source: 'await new Promise(() => {})',
    ends: /^exception: The script waits for something that never happens/,
  },
  {
    name: 'a thenable that never calls back',
    source: 'export default { then() {} }',
    ends: /^exception: The script waits for something that never happens/,
  },

  // What is thrown
  { name: 'a long message', source: 'throw new Error("x".repeat(4e6))', ends: /^exception: Error: x{900}/ },
  { name: 'a message with an endless getter', source: 'throw { get message() { for (;;); } }', ends: cpu },
  {
    name: 'a message that throws',
    source:
      'throw { get message() { throw this }, get name() { throw this }, get stack() { throw this }, toJSON() { throw this } }',
    ends: /^exception: The script threw something that says nothing about itself/,
  },
  {
    name: 'a message that is no text',
    source:
      'throw Object.assign(new Error(), { message: { toString() { for (;;); } }, name: 5n, stack: [] })',
    ends: /^exception: /,
  },
  {
    name: 'an error that is an endless proxy',
    source: 'throw new Proxy(new Error(), { get() { for (;;); } })',
    ends: cpu,
  },
  {
    name: 'an invented stack',
    source:
      'const e = new Error("no"); e.stack = "    at order.js:99999999999:1\\n" + "    at (((((((".repeat(1e5); throw e',
    ends: /^exception: Error: no$/,
  },
  {
    name: 'a name with control characters',
    source: 'const e = new Error("b\\u0000\\n\\u001b[31mc"); e.name = "a\\ud800"; throw e',
    ends: /^exception: a�: b \[31mc/,
  },
  { name: 'a symbol', source: 'throw Symbol("no")', ends: /^exception: Symbol\(no\)/ },
  { name: 'nothing', source: 'throw undefined', ends: /^exception: undefined/ },

  // Ways out
  {
    name: 'the global object by a constructor',
    source:
      'export default (function () {}).constructor("return typeof process + typeof require + typeof globalThis.__call")()',
    result: 'undefinedundefinedundefined',
  },
  {
    name: 'the global object by an error',
    source:
      'try { null.x } catch (e) { var found = e.constructor.constructor("return typeof process")() } export default found',
    result: 'undefined',
  },
  {
    name: 'the global object by the host’s promise',
    source: 'export default host("get").constructor.constructor("return typeof process")()',
    result: 'undefined',
  },
  {
    name: 'an import',
    source: 'await import("node:fs")',
    ends: /^exception: SyntaxError: A script is one file and cannot import "node:fs"/,
  },
  {
    name: 'an import in code made from text',
    source: 'await (0, eval)("import(\'std\')")',
    ends: /^exception: SyntaxError: A script is one file/,
  },
  {
    name: 'an import of a large name',
    source: 'await import("x".repeat(1e6))',
    ends: /^exception: SyntaxError: A script is one file/,
  },
  { name: 'import.meta', source: 'export default Object.keys(import.meta)', result: [] },
  {
    name: 'waiting for shared memory',
    source: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    ends: /^exception: ReferenceError/,
  },
  { name: 'timers', source: 'setTimeout(() => {}, 1e9)', ends: /^exception: ReferenceError/ },
  { name: 'Intl', source: 'new Intl.DateTimeFormat("x".repeat(1e6))', ends: /^exception: ReferenceError/ },
  {
    name: 'a prototype in a circle',
    source: 'Object.setPrototypeOf(Object.prototype, {})',
    ends: /^exception: TypeError/,
  },
  {
    name: 'a broken language',
    source: `
    for (const builtin of [Object, Array, Promise, Function, String, JSON, Reflect])
      for (const target of [builtin, builtin.prototype ?? {}])
        for (const key of Reflect.ownKeys(target))
          try { Object.defineProperty(target, key, { get() { throw 1 }, set() { throw 2 } }) } catch {}
    export default 5`,
    result: 5,
  },
]
