/**
 * What scripts can use, on top of `__call(name, json)`, which alone leads out of the sandbox. This is the body of a function
 * that runs before the script; platform/sandbox/harness.ts says what it must not do. sdk/scripts.d.ts declares the same
 * for authors.
 *
 * Scripts may replace every builtin, so what is needed later is taken now. One that does so nevertheless harms only
 * itself: the host checks whatever arrives.
 */
const { parse, stringify } = JSON
const { apply, defineProperty } = Reflect
const { freeze } = Object
const { slice } = String.prototype
const { then } = Promise.prototype
const NativePromise = Promise
const NativeError = Error
const toText = String

/** More than the log of a run takes, so that the host says what was cut. */
const MAX_LINES = 101
const MAX_LINE_LENGTH = 17_000
let lines = 0

/** The answer to a call, or what `pick` takes from it. Values that are no JSON throw at once. */
function ask(name, args, pick) {
  const answered = __call(name, stringify(args))
  let isHeeded = false
  async function pass(resolve, reject) {
    try {
      resolve(pick(parse(await answered)))
    } catch (error) {
      reject(error)
      // As everywhere else, an error that nobody waits for ends the program: it must not go by unseen.
      if (!isHeeded) __call('unheeded', stringify({ __proto__: null, message: toText(error.message) }))
    }
  }
  const promise = new NativePromise((resolve, reject) => void pass(resolve, reject))
  const heed = (onAnswer, onError) => {
    isHeeded = true
    return apply(then, promise, [onAnswer, onError])
  }
  // Without a constructor, `await` too asks for `then`.
  defineProperty(promise, 'constructor', { __proto__: null, value: undefined })
  defineProperty(promise, 'then', { __proto__: null, value: heed })
  return promise
}

const nothing = () => undefined
const itself = answer => answer
const theValue = entry => (entry === null ? null : entry.value)

function show(value) {
  try {
    if (typeof value === 'string' || typeof value === 'bigint') return toText(value)
    if (value instanceof NativeError) return `${toText(value)}\n${toText(value.stack)}`
    return stringify(value) ?? toText(value)
  } catch {
    return '[a value that cannot be shown]'
  }
}

function write(level, values) {
  if (++lines > MAX_LINES) return
  let message = ''
  for (let at = 0; at < values.length && message.length < MAX_LINE_LENGTH; at++)
    message += (at === 0 ? '' : ' ') + show(values[at])
  message = apply(slice, message, [0, MAX_LINE_LENGTH])
  __call('log', stringify({ __proto__: null, level, message }))
}

function toResponse({ status, headers, text }) {
  return freeze({ __proto__: null, status, headers: freeze(headers), text, json: () => parse(text) })
}

function provide(name, value) {
  defineProperty(globalThis, name, { __proto__: null, value: freeze(value), enumerable: true })
}

provide('log', (...values) => write('info', values))
provide('console', {
  __proto__: null,
  log: (...values) => write('info', values),
  info: (...values) => write('info', values),
  debug: (...values) => write('info', values),
  warn: (...values) => write('warn', values),
  error: (...values) => write('error', values),
})
provide('notify', intent => ask('notify', { __proto__: null, intent }, itself))
provide('kv', {
  __proto__: null,
  get: (collection, key) => ask('kv.get', { __proto__: null, collection, key }, theValue),
  getEntry: (collection, key) => ask('kv.get', { __proto__: null, collection, key }, itself),
  set: (collection, key, value, options) => {
    const { ttl_seconds = null, ...more } = options ?? {}
    return ask('kv.set', { __proto__: null, ...more, collection, key, value, ttl_seconds }, nothing)
  },
  delete: (collection, key) => ask('kv.delete', { __proto__: null, collection, key }, nothing),
})
provide('deadLetters', {
  __proto__: null,
  replay: id => ask('deadLetters.replay', { __proto__: null, id }, nothing),
  resolve: (id, resolution) => ask('deadLetters.resolve', { __proto__: null, id, resolution }, nothing),
})
provide('systemEvents', {
  __proto__: null,
  raise: event => ask('systemEvents.raise', { __proto__: null, event }, nothing),
})
provide('http', {
  __proto__: null,
  fetch: (url, options) => ask('http.fetch', { __proto__: null, ...options, url: toText(url) }, toResponse),
})
