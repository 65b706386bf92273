/**
 * The part of the sandbox that runs inside it, before the prelude and the script. Its text is evaluated there, so it can
 * use nothing from outside the function.
 *
 * Scripts may replace every builtin: `JSON.stringify`, `Promise.prototype.then`, setters on `Object.prototype`. So all
 * that is needed later is taken before they run, and nothing is looked up on an object they can reach: no methods of
 * values, no spreading or iterating, no objects with a prototype. A prelude has to do the same:
 *
 * - take what it uses from builtins into constants at its start (`const { stringify, parse } = JSON`), and call methods
 *   by a `Reflect.apply` that it took too;
 * - call `__call(name, json)` directly and keep it to itself: never as a property, an argument or a `this`;
 * - `await` only what `__call` returns. Those promises are safe: they carry their own `then` and `constructor`;
 * - give `__call` text made from the script's values by its own `stringify`, so that getters, proxies and `toJSON` run
 *   in here, under the limits, and only JSON text leaves;
 * - gather what scripts do in loops, such as logging: a run may make 1,000 calls, and more end it.
 *
 * Whoever reached `__call` nevertheless could call the host with any text; it checks everything it is given.
 */
export interface Harness {
  /** Makes the event's object and the global `event`. */
  setEvent(json: string): unknown
  /** What the prelude gets as `__call`. */
  call(name: string, json: string): Promise<string>
  /** The host's answer to a call. */
  settle(id: number, isOk: boolean, text: unknown): void
  /** The result as JSON text, or null if it is too long. */
  finish(exported: unknown, isPromise: boolean, event: unknown, maxLength: number): Promise<string | null>
  /** JSON text of a Thrown. */
  describe(error: unknown): string
}

/** What a script threw, in bounded text. The stack may be invented. */
export interface Thrown {
  name: string
  message: string
  stack: string
}

export function harness(
  /** Answers the number of the call. */
  send: (name: string, json: string | undefined) => number,
  maxLength: number,
): Harness {
  const { stringify, parse } = JSON
  const { apply, defineProperty, deleteProperty } = Reflect
  const { slice } = String.prototype
  const { then } = Promise.prototype
  const NativePromise = Promise
  const NativeError = Error
  const NativeTypeError = TypeError
  const toText = String
  const MAX_NAME = 100

  // Not part of the language: QuickJS brings them along.
  for (const name of ['DOMException', 'InternalError', 'performance', 'queueMicrotask'])
    deleteProperty(globalThis, name)
  // It would be given the functions on the stack, and with them those of the prelude.
  defineProperty(Error, 'prepareStackTrace', { value: undefined, writable: false, configurable: false })

  type Settling = { resolve: (text: string) => void; reject: (error: Error) => void }
  const waiting: Record<number, Settling> = { __proto__: null } as never

  function call(name: string, json: string): Promise<string> {
    if (typeof name !== 'string' || typeof json !== 'string')
      throw new NativeTypeError('The host is called with a name and JSON text.')
    // Longer text stays in here, where it counts towards the script's memory.
    const id = send(cut(name, MAX_NAME), json.length > maxLength ? undefined : json)
    const promise = new NativePromise<string>((resolve, reject) => {
      waiting[id] = { resolve, reject }
    })
    // Otherwise `await` would look for them on Promise.prototype.
    defineProperty(promise, 'constructor', { __proto__: null, value: NativePromise } as PropertyDescriptor)
    defineProperty(promise, 'then', { __proto__: null, value: then } as PropertyDescriptor)
    return promise
  }

  function settle(id: number, isOk: boolean, text: unknown): void {
    const settling = waiting[id]
    if (settling === undefined) return
    delete waiting[id]
    if (typeof text !== 'string') settling.reject(new NativeError('There is no memory left for the answer.'))
    else if (isOk) settling.resolve(text)
    else settling.reject(new NativeError(text))
  }

  async function finish(
    exported: unknown,
    isPromise: boolean,
    event: unknown,
    maxResultLength: number,
  ): Promise<string | null> {
    const exports = (isPromise ? await exported : exported) as { default?: unknown }
    const { default: exportedValue } = exports
    const result = await (typeof exportedValue === 'function'
      ? apply(exportedValue, undefined, [event])
      : exportedValue)
    const json = stringify(result) ?? 'null'
    return json.length > maxResultLength ? null : json
  }

  function cut(text: unknown, length: number): string {
    return typeof text === 'string' ? apply(slice, text, [0, length]) : ''
  }

  function read(error: object, key: string, length: number): string {
    try {
      return cut((error as Record<string, unknown>)[key], length)
    } catch {
      return ''
    }
  }

  /** An object that is no error says the most as JSON. */
  function showObject(error: object): string {
    try {
      return cut(stringify(error), 1000)
    } catch {
      return ''
    }
  }

  function describe(error: unknown): string {
    const thrown: Thrown = { __proto__: null, name: '', message: '', stack: '' } as never
    if ((typeof error === 'object' && error !== null) || typeof error === 'function') {
      thrown.name = read(error, 'name', 100)
      thrown.message = read(error, 'message', 1000)
      thrown.stack = read(error, 'stack', 4000)
      if (thrown.name === '' && thrown.message === '') thrown.message = showObject(error)
    } else thrown.message = cut(toText(error), 1000)
    return stringify(thrown)
  }

  return {
    setEvent(json) {
      const event = parse(json)
      defineProperty(globalThis, 'event', {
        value: event,
        writable: true,
        configurable: true,
        enumerable: true,
      })
      return event
    },
    call,
    settle,
    finish,
    describe,
  }
}
