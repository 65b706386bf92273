export interface JsonMistake {
  line: number
  column: number
  message: string
}

/** An object of JSON, or where it is none. */
export function readJson(text: string): { value?: Record<string, unknown>; mistake?: JsonMistake } {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> }
    return { mistake: { line: 1, column: 1, message: 'Expected an object in { }.' } }
  } catch (error) {
    const { message } = error as Error
    return { mistake: { ...placeIn(text, message), message } }
  }
}

/** Browsers say the line, the position, or only what stands around it. */
function placeIn(text: string, message: string): { line: number; column: number } {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  if (line !== undefined) return { line: Number(line), column: Number(column) }
  const before = text.slice(0, positionIn(text, message))
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') }
}

function positionIn(text: string, message: string): number {
  const position = /position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return Number(position)
  if (/end of (JSON|the)/i.test(message)) return text.length
  const [, token = '', around = ''] = /token '?(.)'?, (.*) is not valid JSON$/s.exec(message) ?? []
  const part = /"(.*)"/s.exec(around)?.[1] ?? ''
  const start = text.indexOf(part)
  return start < 0 || token === '' ? 0 : text.indexOf(token, start + (around.startsWith('...') ? 10 : 0))
}
