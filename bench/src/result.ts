/** The result of a benchmark, and whether it meets its aim. */
import { type Ratio, ratioOf } from './rounds.ts'
import type { Scratch } from './scratch.ts'

export interface Result {
  name: string
  /** What was measured, in a few words. */
  what: string
  measured: string
  anchor: string
  ratio?: Ratio
  /** Empty if there is no aim and the result is only reported. */
  aim: string
  isMet: boolean | undefined
  /** Everything behind the line, for comparing runs. */
  data: unknown
}

export interface Context {
  scratch: Scratch
  rounds: number
  /** How much of the usual amount of data; 1 is all of it. */
  scale: number
  isVerbose: boolean
  tell: (line: string) => void
}

export type Benchmark = (context: Context) => Promise<Result[]>

export interface Comparison {
  name: string
  what: string
  measured: number[]
  anchor: number[]
  /** The lowest acceptable ratio; undefined: only report. */
  aim?: number
  show: (rate: number) => string
  data?: unknown
}

/** Compares a rate with its anchor, measured in the same rounds. */
export function compare(comparison: Comparison): Result {
  const { name, what, measured, anchor, aim, show, data } = comparison
  const ratio = ratioOf(measured, anchor)
  return {
    name,
    what,
    measured: show(Math.max(...measured)),
    anchor: show(Math.max(...anchor)),
    ratio,
    aim: aim === undefined ? '' : `≥ ${aim.toFixed(2)}`,
    isMet: aim === undefined ? undefined : ratio.median >= aim,
    data: { measured, anchor, ...(data === undefined ? {} : { details: data }) },
  }
}

/** A plain value that should not exceed its aim. */
export function atMost(name: string, what: string, valueMs: number, aimMs?: number): Result {
  return {
    name,
    what,
    measured: `${valueMs.toFixed(1)} ms`,
    anchor: '',
    aim: aimMs === undefined ? '' : `≤ ${aimMs} ms`,
    isMet: aimMs === undefined ? undefined : valueMs <= aimMs,
    data: { valueMs },
  }
}
