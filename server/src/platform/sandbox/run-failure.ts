/** Why a run ended without a result, in words for the script's author. */
import { storable } from '../text/cut.ts'
import type { Thrown } from './harness.ts'
import { MAX_MESSAGE_CHARACTERS, type SandboxFailureKind, type SyntaxProblem } from './messages.ts'

export class RunFailure extends Error {
  readonly failure: SandboxFailureKind
  constructor(failure: SandboxFailureKind, message: string) {
    super(message)
    this.failure = failure
  }
}

/** `TypeError: not a function (line 3, column 12)` */
export function sayThrown(thrown: Thrown, fileName: string): string {
  const place = placeOf(thrown, fileName)
  const what = sayWhat(thrown)
  return place === undefined ? what : `${what} (line ${place.line}, column ${place.column})`
}

/** QuickJS knows the line of a syntax error, but not the column. */
export function problemOf(thrown: Thrown, fileName: string): SyntaxProblem {
  return { message: sayWhat(thrown), line: placeOf(thrown, fileName)?.line ?? null }
}

export function saySyntax(thrown: Thrown, fileName: string): string {
  const { message, line } = problemOf(thrown, fileName)
  return line === null ? message : `${message} (line ${line})`
}

function sayWhat({ name, message }: Thrown): string {
  const parts = [name, message].filter(part => part !== '')
  return plainText(parts.join(': ')) || 'The script threw something that says nothing about itself.'
}

/** Where in the author's source: `    at total (order.js:3:12)`. Scripts can invent it, but only for themselves. */
function placeOf({ stack }: Thrown, fileName: string): { line: number; column: number } | undefined {
  for (const frame of stack.split('\n')) {
    const [, file, line, column] = /^ {4}at (?:.* \()?(.*):([0-9]{1,9}):([0-9]{1,9})\)?$/.exec(frame) ?? []
    if (file === fileName) return { line: Number(line), column: Number(column) }
  }
  return undefined
}

/** As one line that can be stored and shown anywhere. */
export function plainText(text: string): string {
  return storable(text.replace(/\p{Cc}+/gu, ' ').trim(), MAX_MESSAGE_CHARACTERS)
}
