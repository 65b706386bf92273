/** What the process and its threads say to each other. Everything a script can influence is text of a bounded size. */

export interface SandboxLimits {
  cpuMs: number
  wallMs: number
  memoryBytes: number
  maxResultBytes: number
}

export type SandboxFailureKind =
  | 'exception'
  | 'syntax'
  | 'cpu_limit'
  | 'memory_limit'
  | 'timeout'
  | 'output_limit'
  | 'crashed'
  | 'stopped'

export interface RunOrder {
  type: 'run'
  name: string
  source: string
  prelude: string
  inputJson: string
  limits: SandboxLimits
}

/** Answered with the JSON of a SyntaxProblem, or null. */
interface CheckOrder {
  type: 'check'
  name: string
  source: string
  limits: SandboxLimits
}

/** What a thread should do. */
export type Order = RunOrder | CheckOrder

export interface SyntaxProblem {
  message: string
  line: number | null
}

/** The host's answer to a call; of a failure, the message that the script sees. */
export interface Answer {
  type: 'answer'
  run: number
  id: number
  isOk: boolean
  text: string
}

export interface Call {
  type: 'call'
  /** A call may be on its way when its run ends; without this, it would be made with the rights of the next one. */
  run: number
  id: number
  name: string
  argsJson: string
}

export type Ended =
  | { kind: 'done'; resultJson: string; cpuMs: number }
  | { kind: 'failed'; failure: SandboxFailureKind; message: string; cpuMs: number }

/** The orders of a thread are numbered. */
export type ToThread = (Order & { run: number }) | Answer
export type FromThread = { type: 'ready' } | Call | { type: 'ended'; ended: Ended; isReusable: boolean }

/** What a thread is started with: compiled once for all of them. */
export interface ThreadData {
  wasmModule: WebAssembly.Module
}

/** Longest text of a call, in each direction. */
export const MAX_CALL_BYTES = 256 * 1024
/** Longest failure, and longest message of an error that the host throws into a script. */
export const MAX_MESSAGE_CHARACTERS = 1000
