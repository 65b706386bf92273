/** What Liquid found wrong, where, and whose fault it is. */
import { LiquidError } from 'liquidjs'

export interface Mistake {
  message: string
  /** From 1; undefined when no single place is to blame. */
  line?: number | undefined
  column?: number | undefined
  /** The partial it is in; undefined for the text itself. */
  part?: string
  /** The machine was too slow rather than the text wrong: the same may work in a moment. */
  isTimeout: boolean
}

export function toMistake(error: unknown): Mistake {
  const { message } = error as Error
  // Nesting is limited only by the stack, in the parser as in the renderer.
  if (error instanceof RangeError) return { message: 'it is nested too deeply', isTimeout: false }
  if (!LiquidError.is(error)) return { message, isTimeout: false }
  const original = error.originalError ?? error
  if (original instanceof RangeError) return toMistake(original)
  const [line, column] = error.token.getPosition()
  const { file } = error.token
  return {
    message: explain(withoutPlace(original.message)),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(file !== undefined && { part: file }),
    isTimeout: original.message.startsWith('template render limit'),
  }
}

/** Where and what, as one sentence part. */
export function describeMistake({ message, line, column, part }: Omit<Mistake, 'isTimeout'>): string {
  const where = line === undefined ? '' : `line ${line}, column ${column}: `
  return `${part === undefined ? '' : `partial "${part}", `}${where}${message}`
}

/** The library puts the place into its message too. */
function withoutPlace(message: string): string {
  return message.replace(/(?:, file:[^,]*)?, line:\d+, col:\d+$/, '')
}

function explain(message: string): string {
  if (message.startsWith('memory alloc limit'))
    return 'it does more work or writes more text than a template may'
  if (message.startsWith('template render limit')) return 'it takes longer than a template may'
  return message.replace(/^undefined variable: (.*)$/, 'there is no value for "$1"')
}
