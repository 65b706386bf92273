/** The API's sentences with their times in the viewer's zone and their notifications as links. */

import { TextLink } from './text-link.tsx'
import { ShortTime } from './time.tsx'

export type Part = { text: string } | { time: string } | { notification: string }

const TIME = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z`
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const SPECIAL = new RegExp(`(${TIME})|(?<=notification )(${UUID})`, 'g')

export function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(SPECIAL)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index) })
    parts.push(match[1] === undefined ? { notification: match[2]! } : { time: match[1] })
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}

/** The first time that a sentence names. */
export const timeIn = (text: string): string | undefined => text.match(TIME)?.[0]

export function Sentence({ text }: { text: string }) {
  return (
    <span dir="auto">
      {partsOf(text).map((part, i) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence do not move
        if ('time' in part) return <ShortTime key={i} value={part.time} />
        if ('notification' in part)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence do not move
            <TextLink key={i} to={`/activity/${part.notification}`} className="font-mono text-code">
              {part.notification}
            </TextLink>
          )
        return part.text
      })}
    </span>
  )
}
