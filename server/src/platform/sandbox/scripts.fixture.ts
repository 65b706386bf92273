/** Scripts for tests: short limits, and a prelude like a real one. */
import { onTestFinished } from 'vitest'
import { createSandbox, type Sandbox, type SandboxJob, type SandboxOptions } from './sandbox.ts'

/** `host(name, …arguments)` calls the host as the real globals do. */
export const PRELUDE = `
  const { stringify, parse } = JSON
  globalThis.host = async (name, ...args) => parse(await __call(name, stringify(args)))`

/** Enough for anything that ends by itself, also on a busy machine. */
export const LIMITS = { cpuMs: 2000, wallMs: 20_000, memoryBytes: 32 * 1024 * 1024, maxResultBytes: 65_536 }

export function testSandbox(options: Partial<SandboxOptions> = {}): Sandbox {
  const sandbox = createSandbox({ workers: 2, ...options })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** A run of this source by somebody; calls answer with their own name and arguments. */
export function job(source: string, changes: Partial<SandboxJob> = {}): SandboxJob {
  return {
    owner: 'somebody',
    name: 'order.js',
    source,
    prelude: PRELUDE,
    inputJson: '{"order":{"number":48151}}',
    limits: LIMITS,
    call: async (name, argsJson) => JSON.stringify({ name, args: JSON.parse(argsJson) }),
    ...changes,
  }
}

/** What the run of a script came to: its result, or why there is none. */
export async function resultOf(sandbox: Sandbox, run: SandboxJob): Promise<unknown> {
  const outcome = await sandbox.run(run)
  if (outcome.kind === 'done') return JSON.parse(outcome.resultJson)
  return outcome.kind === 'busy' ? 'busy' : `${outcome.failure}: ${outcome.message}`
}
