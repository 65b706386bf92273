/** The payload that previews and tests are made with: kept on this device for each template. */
import { useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { readJson } from '../../ui/read-json.ts'
import type { Content } from './content.ts'
import { pathsIn, payloadFor } from './liquid-usage.ts'

export interface Payload {
  text: string
  setText(text: string): void
  /** undefined while the text is no JSON. */
  value: Record<string, unknown> | undefined
  /** Names that the template uses and the payload lacks. */
  missing: string[]
  /** Gives those something to show. */
  fill(): void
  /** Begins again with what the template uses and its samples. */
  reset(): void
}

export function usePayload(name: string, content: Content): Payload {
  const { tenant } = useSession()
  const key = `carillon-sample:${tenant.id}:${name}`
  const [text, setText] = useState(() => localStorage.getItem(key) ?? starterPayload(content))
  const { value } = readJson(text)
  const starter = JSON.parse(starterPayload(content)) as Record<string, unknown>
  const keep = (next: string) => {
    localStorage.setItem(key, next)
    setText(next)
  }
  return {
    text,
    value,
    setText: keep,
    missing: value === undefined ? [] : Object.keys(starter).filter(name => !(name in value)),
    fill: () => keep(JSON.stringify({ ...starter, ...value }, null, 2)),
    reset() {
      localStorage.removeItem(key)
      setText(starterPayload(content))
    },
  }
}

/** A sample where the template has one; elsewhere, something at every place that it uses. */
export function starterPayload({ subject, title, body, text, variables }: Content): string {
  const used = payloadFor(pathsIn([subject, title, body, text].filter(Boolean).join('\n')))
  const samples = Object.fromEntries(
    variables.flatMap(({ name, sample }) =>
      sample === undefined || sample === null ? [] : [[name, sample]],
    ),
  )
  return JSON.stringify({ ...used, ...samples }, null, 2)
}
