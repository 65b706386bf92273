/** What Liquid found wrong, where, and whether the text or the machine is to blame. */
import { LiquidError } from 'liquidjs'

export interface Mistake {
  message: string
  /** From 1; undefined when no single position is to blame. */
  line?: number | undefined
  column?: number | undefined
  /** The partial it is in; undefined for the text itself. */
  part?: string
  /** The machine was too slow, rather than the text wrong: a retry may work. */
  isTimeout: boolean
}

export function toMistake(error: unknown): Mistake {
  const { message } = error as Error
  // Only the stack limits nesting, both in the parser and in the renderer.
  if (error instanceof RangeError) return { message: 'it is nested too deeply', isTimeout: false }
  if (!LiquidError.is(error)) return { message, isTimeout: isTimeLimit(error as Error) }
  const original = error.originalError ?? error
  if (original instanceof RangeError) return toMistake(original)
  const [line, column] = error.token.getPosition()
  const { file } = error.token
  return {
    message: explain(withoutPosition(original.message)),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(file !== undefined && { part: file }),
    isTimeout: isTimeLimit(original),
  }
}

/** The library says so without a position where the limit is reached between two tags. */
const isTimeLimit = ({ message }: Error) => message.startsWith('template render limit')

/** Where and what, as part of a sentence. */
export function describeMistake({ message, line, column, part }: Omit<Mistake, 'isTimeout'>): string {
  const where = line === undefined ? '' : `line ${line}, column ${column}: `
  return `${part === undefined ? '' : `partial "${part}", `}${where}${message}`
}

/** The library repeats the position in its message. */
function withoutPosition(message: string): string {
  return message.replace(/(?:, file:[^,]*)?, line:\d+, col:\d+$/, '')
}

function explain(message: string): string {
  if (message.startsWith('memory alloc limit'))
    return 'it does more work or writes more text than a template is allowed to'
  if (message.startsWith('template render limit')) return 'it takes longer than a template is allowed to'
  return message.replace(/^undefined variable: (.*)$/, 'there is no value for "$1"')
}
