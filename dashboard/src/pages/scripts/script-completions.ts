/** What an editor offers in a script, read from the types that the API gives. */

export interface Name {
  label: string
  type: 'function' | 'variable' | 'property'
  /** How it is called: notify(intent). */
  detail: string
  info: string
}

export interface ScriptNames {
  globals: Name[]
  /** By the global that they belong to: kv → get, set … */
  members: Record<string, Name[]>
}

const COMMENT = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/

export function namesOf(types: string): ScriptNames {
  const globals: Name[] = []
  const members: Record<string, Name[]> = {}
  for (const match of types.matchAll(/^declare (function|const|var) (\w+)(?:\(([^)]*)\))?/gm)) {
    const [whole, kind, label, parameters] = match as unknown as [string, string, string, string | undefined]
    globals.push({
      label,
      type: kind === 'function' ? 'function' : 'variable',
      detail: parameters === undefined ? '' : `(${parameterNames(parameters)})`,
      info: commentBefore(types, match.index),
    })
    const body = bodyAfter(types, match.index + whole.length)
    if (body !== undefined) members[label] = membersOf(body)
  }
  const event = /interface EventOf<[^>]*> (?=\{)/.exec(types)
  if (event) members.event = membersOf(bodyAfter(types, event.index + event[0].length) ?? '')
  const log = /interface Console (?=\{)/.exec(types)
  if (log) members.console = membersOf(bodyAfter(types, log.index + log[0].length) ?? '')
  return { globals, members }
}

/** The text between the braces that open next, if they do so in the same declaration. */
function bodyAfter(text: string, from: number): string | undefined {
  const opening = /^[:\s]*\{/.exec(text.slice(from))
  if (opening === null) return undefined
  const start = from + opening[0].length
  let depth = 1
  for (let i = start; i < text.length; i++) {
    if (text[i] === '{') depth++
    if (text[i] === '}' && --depth === 0) return text.slice(start, i)
  }
  return undefined
}

function membersOf(body: string): Name[] {
  const flat = outermost(body)
  return [...flat.matchAll(/^\s*(?:readonly )?(\w+)\??(\(([^)]*)\))?:/gm)].map(match => ({
    label: match[1]!,
    type: match[2] === undefined ? 'property' : 'function',
    detail: match[2] === undefined ? '' : `(${parameterNames(match[3]!)})`,
    info: commentBefore(flat, match.index),
  }))
}

/** Without what stands in further braces or, over several lines, in parentheses: only names at the edge are members. */
function outermost(body: string): string {
  let depth = 0
  let result = ''
  for (const character of body) {
    if (character === '}') depth--
    if (depth === 0) result += character
    if (character === '{') depth++
  }
  return result.replace(/\(\s*([^()]*?),?\s*\)/g, (_, inside: string) => `(${inside.replace(/\s+/g, ' ')})`)
}

const parameterNames = (parameters: string): string =>
  parameters
    .replace(/\{[^}]*\}/g, '')
    .split(',')
    .map(parameter => parameter.split(':')[0]!.trim())
    .filter(Boolean)
    .join(', ')

function commentBefore(text: string, at: number): string {
  const comment = COMMENT.exec(text.slice(0, at))
  return comment === null ? '' : comment[1]!.replace(/\s*\n\s*\*?\s*/g, ' ').trim()
}
