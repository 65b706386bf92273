/** Templates of markup are written over several lines; what is loaded need not be. */
import type { Plugin } from 'vite'

interface Node {
  type: string
  start: number
  end: number
  tag?: { name?: string }
  quasi?: { quasis: Node[] }
}

export function shortTemplates(): Plugin {
  return {
    name: 'short-templates',
    apply: 'build',
    enforce: 'post',
    transform(code, id) {
      if (!id.includes('/src/element/') || !/\b(html|svg)`/.test(code)) return undefined
      const texts = textsIn(this.parse(code))
      const short = texts.reduceRight(
        (whole, { start, end }) => whole.slice(0, start) + oneLine(code.slice(start, end)) + whole.slice(end),
        code,
      )
      return { code: short, map: null }
    },
  }
}

/** From the last to the first they can be replaced without moving each other. */
function textsIn(tree: unknown): Node[] {
  if (typeof tree !== 'object' || tree === null) return []
  const inside = Object.values(tree).flatMap(textsIn)
  const { type, tag, quasi } = tree as Node
  const isMarkup = type === 'TaggedTemplateExpression' && (tag?.name === 'html' || tag?.name === 'svg')
  return (isMarkup ? [...inside, ...quasi!.quasis] : inside).sort((one, other) => one.start - other.start)
}

/** Between two tags a line break shows nothing here: what stands side by side is laid out by boxes. */
const oneLine = (text: string): string => text.replace(/>\s*\n\s*</g, '><').replace(/\s*\n\s*/g, ' ')
