/** Runs the samples of scripts and compares what would happen with what they expect. */
import type { ScriptTest } from '@carillon/contract'
import type { Client } from '@carillon/sdk'
import type { ScriptFile, ScriptSample } from './script-folder.ts'

export interface SampleResult {
  script: string
  sample: string
  passed: boolean
  /** What differs; empty if it passed. */
  difference: string
}

/** With the source of the file, saved or not. */
export async function runSamples(client: Client, scripts: ScriptFile[]): Promise<SampleResult[]> {
  const results: SampleResult[] = []
  for (const { name: script, source, settings, samples } of scripts) {
    const { description: _, ...limits } = settings
    for (const { name, expect, ...sample } of samples) {
      const test = await client.scripts.testSource({ name: script, source, ...limits, ...sample })
      const difference = differenceBetween(expected(expect), test) ?? ''
      results.push({ script, sample: name, passed: difference === '', difference })
    }
  }
  return results
}

/** A sample that does not say otherwise expects success. */
function expected(given: ScriptSample['expect']): Partial<ScriptTest> {
  const isFailure = given.failure_kind !== undefined || given.error !== undefined
  return { status: isFailure ? 'failed' : 'succeeded', ...given } as Partial<ScriptTest>
}

/**
 * The first difference, and where. Lists must have the same length; of objects, only the fields that are expected are
 * compared, so that a sample need not repeat what does not matter to it.
 */
export function differenceBetween(wanted: unknown, actual: unknown, place = ''): string | undefined {
  if (typeof wanted !== 'object' || wanted === null)
    return Object.is(wanted, actual) ? undefined : describe(place, wanted, actual)
  const isList = Array.isArray(wanted)
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== isList)
    return describe(place, wanted, actual)
  if (isList && wanted.length !== (actual as unknown[]).length)
    return `${place || 'the answer'}: expected ${wanted.length}, got ${JSON.stringify(actual)}`
  for (const [name, value] of Object.entries(wanted)) {
    const inner = (actual as Record<string, unknown>)[name]
    const found = differenceBetween(value, inner, place === '' ? name : `${place}.${name}`)
    // Why a script failed says more than that it did.
    if (found !== undefined && name === 'status' && place === '' && (actual as ScriptTest).error !== '')
      return `${found}: ${(actual as ScriptTest).error}`
    if (found !== undefined) return found
  }
  return undefined
}

function describe(place: string, wanted: unknown, actual: unknown): string {
  return `${place}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(actual)}`
}
