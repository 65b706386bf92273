/** Which fields of the payload a Liquid text uses, as far as one can see without running it. */

const WORDS = new Set(
  'and or not contains true false nil null empty blank in with as for reversed limit offset forloop cols'.split(
    ' ',
  ),
)
const BUILT_IN = new Set(['branding', 'recipient', 'notification', 'links', 'subject', 'content'])
const PATH = /[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*|\[\d+\])*/g

export interface Loop {
  name: string
  of: string
}

/** `{% for item in order.items %}`: item is one of order.items. */
export function loopsIn(text: string): Loop[] {
  return [...text.matchAll(/\{%-?\s*(?:for|tablerow)\s+(\w+)\s+in\s+([\w.]+)/g)].map(([, name, of]) => ({
    name: name!,
    of: of!,
  }))
}

/** Paths from the payload, such as order.items[].name. */
export function pathsIn(text: string): string[] {
  const loops = new Map(loopsIn(text).map(({ name, of }) => [name, of]))
  const locals = new Set(
    [...text.matchAll(/\{%-?\s*(?:assign|capture|increment|decrement)\s+(\w+)/g)].map(([, name]) => name!),
  )
  const visible = text.replace(/\{%-?\s*(comment|raw)\s*-?%\}[\s\S]*?\{%-?\s*end\1\s*-?%\}/g, '')
  const found = new Set<string>()
  for (const path of expressionsIn(visible).flatMap(pathsOf)) {
    const whole = resolve(path, loops)
    const [root] = whole.split(/[.[]/)
    if (!locals.has(root!) && !BUILT_IN.has(root!)) found.add(whole)
  }
  for (const of of loops.values()) {
    const whole = `${resolve(of, loops)}[]`
    if (!BUILT_IN.has(whole.split(/[.[]/)[0]!)) found.add(whole)
  }
  return [...found].sort()
}

function expressionsIn(text: string): string[] {
  const outputs = [...text.matchAll(/\{\{-?([\s\S]*?)-?\}\}/g)].map(([, inside]) => inside!)
  const tags = [...text.matchAll(/\{%-?\s*(\w+)([\s\S]*?)-?%\}/g)].flatMap(([, tag, inside]) => {
    if (tag === 'for' || tag === 'tablerow' || tag === 'capture') return []
    return [tag === 'assign' ? inside!.replace(/^[^=]*=/, '') : inside!]
  })
  return [...outputs, ...tags]
}

function pathsOf(expression: string): string[] {
  const bare = expression
    .replace(/"[^"]*"|'[^']*'/g, ' ')
    .replace(/\|\s*\w+/g, ' ')
    .replace(/\b\w+\s*:/g, ' ')
  return [...bare.matchAll(PATH)].map(([path]) => path).filter(path => !WORDS.has(path.split('.')[0]!))
}

function resolve(path: string, loops: Map<string, string>, depth = 0): string {
  const [root, ...rest] = path.split('.')
  const of = loops.get(root!)
  if (of === undefined || depth > 5) return path
  return [`${resolve(of, loops, depth + 1)}[]`, ...rest].join('.')
}

/** A payload that has something at every path. */
export function payloadFor(paths: string[]): Record<string, unknown> {
  const payload: Record<string, unknown> = {}
  for (const path of paths) {
    let place = payload
    const steps = path.replace(/\[\d*\]/g, '[]').split('.')
    steps.forEach((step, i) => {
      const isList = step.endsWith('[]')
      const name = step.replace(/(\[\])+$/, '')
      const isLast = i === steps.length - 1
      if (isList) {
        if (!Array.isArray(place[name])) place[name] = [isLast ? name : {}]
        const list = place[name] as unknown[]
        if (!isLast && typeof list[0] !== 'object') list[0] = {}
        place = list[0] as Record<string, unknown>
      } else if (isLast) place[name] ??= sampleOf(name)
      else {
        if (typeof place[name] !== 'object') place[name] = {}
        place = place[name] as Record<string, unknown>
      }
    })
  }
  return payload
}

/** Something that looks like what the name promises. */
function sampleOf(name: string): unknown {
  if (/url|link|href/.test(name)) return 'https://example.com/1'
  if (/email/.test(name)) return 'ada@example.com'
  if (/(_at|date|time)$/.test(name)) return '2026-03-01T09:30:00Z'
  if (/^(count|number|total|amount|price|size|minutes|hours|days|parcels)$/.test(name)) return 2
  if (/name$/.test(name)) return 'Ada'
  return name
}
