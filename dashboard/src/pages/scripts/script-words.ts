/** Kinds of events and of failures, in words. */
import type { RunFailure, ScriptEventKind } from '@carillon/contract'

export const EVENT_KINDS: Record<ScriptEventKind, string> = {
  invoke: 'Invocation',
  kv: 'KV entry',
  cron: 'Time',
  event: 'Event',
  queue: 'Queue',
  email: 'Mail',
  http: 'HTTP call',
  dead_letter: 'Dead letter',
}

export const FAILURES: Record<RunFailure, string> = {
  exception: 'It threw an error',
  syntax: 'It could not be read',
  cpu_limit: 'It used too much processor time',
  memory_limit: 'It used too much memory',
  timeout: 'It took too long',
  output_limit: 'It gave back or logged too much',
  effect_refused: 'Something it wanted to do was refused',
  effects_limit: 'It wanted to do too much',
  forbidden: 'Who it runs as may not do that',
  target_missing: 'Its script was gone',
  crashed: 'The sandbox crashed',
  lost: 'The process that ran it was gone',
}

export interface Mistake {
  line: number
  column?: number
  message: string
}

/** Errors of scripts end with their place: TypeError: … (line 1, column 25). */
export function mistakesOf(error: string): Mistake[] {
  const place = /\(line (\d+)(?:, column (\d+))?\)/.exec(error)
  if (place === null) return []
  return [
    {
      line: Number(place[1]),
      ...(place[2] !== undefined && { column: Number(place[2]) }),
      message: error.replace(place[0], '').trim(),
    },
  ]
}
