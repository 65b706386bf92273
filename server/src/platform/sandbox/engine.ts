/**
 * A QuickJS of its own for every run. Instantiating the compiled module takes a fraction of a millisecond, so nothing of
 * a run can be there in the next one: not a global, not a prototype, not what an error in the interpreter left behind.
 */
import release from '@jitl/quickjs-ng-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'

export interface Engine {
  runtime: QuickJSRuntime
  context: QuickJSContext
  memory: WebAssembly.Memory
  /** It took more memory from the system than every run does. */
  hasGrown(): boolean
  /** Whether the script can have used up its memory. */
  mayBeFull(): boolean
}

export interface Engines {
  open(memoryBytes: number, shouldInterrupt: () => boolean): Promise<Engine>
}

/** Its types describe the file for CommonJS, which is another one. */
const variant = release as unknown as QuickJSSyncVariant

const PAGE_BYTES = 65_536
/** What the module asks for, and what it can use at most. */
const INITIAL_PAGES = 256
const MOST_PAGES = 32_768
/** A part of a page that fits into a processor's cache. */
const EMPTY = Buffer.alloc(PAGE_BYTES / 4)
/** Beyond a script's own memory: the interpreter's data and stack, and texts on their way in and out. */
const SPARE_BYTES = 8 * 1024 * 1024
/** What the allocator needs for each byte that QuickJS counts. */
const ALLOCATED_PER_BYTE = 1.25
/**
 * Of the stack that the interpreter counts. The thread's own has 4 MiB, and deep nesting in parsers may use that up
 * first; then the run ends with a RangeError of the thread, which is why an engine is never used again.
 */
const MAX_STACK_BYTES = 256 * 1024

export function createEngines(wasmModule: WebAssembly.Module): Engines {
  let memory: WebAssembly.Memory | undefined
  let memoryPages = 0

  /** The same memory again, empty: a new one takes the system longer, and goes back to it only with the garbage. */
  function emptyMemory(pages: number): WebAssembly.Memory {
    if (memory === undefined || pages !== memoryPages)
      memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: pages })
    else empty(memory)
    memoryPages = pages
    return memory
  }

  return {
    async open(memoryBytes, shouldInterrupt) {
      const wasmMemory = emptyMemory(maxPages(memoryBytes))
      const quickjs = await newQuickJSWASMModuleFromVariant(
        newVariant(variant, { wasmModule, wasmMemory, log() {} }),
      )
      const runtime = quickjs.newRuntime({
        memoryLimitBytes: memoryBytes,
        maxStackSizeBytes: MAX_STACK_BYTES,
        interruptHandler: shouldInterrupt,
      })
      runtime.setModuleLoader(refuseImport, (_importer, name) => name)
      const context = runtime.newContext()
      const initialBytes = INITIAL_PAGES * PAGE_BYTES
      const hasGrown = () => wasmMemory.buffer.byteLength > initialBytes
      const mayBeFull = () => hasGrown() || memoryBytes < initialBytes
      return { runtime, context, memory: wasmMemory, hasGrown, mayBeFull }
    },
  }
}

/**
 * All of it, not just what was given out, so that this holds against errors in the interpreter too. Most of it is empty
 * already, and looking is cheaper than writing (measured: a third).
 */
function empty(memory: WebAssembly.Memory): void {
  const bytes = Buffer.from(memory.buffer)
  for (let start = 0; start < bytes.length; start += EMPTY.length) {
    const end = start + EMPTY.length
    if (EMPTY.compare(bytes, start, end) !== 0) bytes.fill(0, start, end)
  }
}

/** The last limit: what QuickJS does not count, the system does not give. */
function maxPages(memoryBytes: number): number {
  const pages = Math.ceil((memoryBytes * ALLOCATED_PER_BYTE + SPARE_BYTES) / PAGE_BYTES)
  return Math.min(Math.max(pages, INITIAL_PAGES), MOST_PAGES)
}

function refuseImport(name: string): { error: Error } {
  const error = new Error(`A script is one file and cannot import ${JSON.stringify(name.slice(0, 100))}.`)
  error.name = 'SyntaxError'
  return { error }
}
