/**
 * What a template makes of a digest. One that knows `items` is asked once. One that was written for single messages is
 * asked for each of them, and their titles are listed: nobody has to write a second template because somebody wants a
 * summary.
 */

import type { MailLinks } from '../preferences/mail-links.ts'
import type { ClaimedRoute } from './claim.ts'
import { isDigest } from './hold.ts'
import { listWords, MOST_LINES, type Words } from './render.ts'

export type Wording =
  | ({ kind: 'words'; knowsItems?: boolean } & Words)
  | { kind: 'permanent' | 'retry'; message: string; hint?: string }

type Payload = Record<string, unknown>
type Links = MailLinks | null
export type AskTemplate = (
  route: ClaimedRoute,
  payload: Payload,
  links: Links,
) => Promise<Wording | undefined>

export async function wordsOf(
  route: ClaimedRoute,
  payload: Payload,
  links: Links,
  ask: AskTemplate,
): Promise<Wording | undefined> {
  // One template serves both: what goes out alone is a digest of one.
  if (!isDigest(route))
    return ask(route, route.digest === null ? payload : { ...payload, items: [payload], count: 1 }, links)
  const whole = await ask(route, payload, links)
  if (whole?.kind !== 'words' || whole.knowsItems || payload.count === 1) return whole
  return oneByOne(route, payload.items as Payload[], Number(payload.count), links, ask)
}

async function oneByOne(
  route: ClaimedRoute,
  items: Payload[],
  count: number,
  links: Links,
  ask: AskTemplate,
): Promise<Wording> {
  const titles: string[] = []
  for (const item of items.slice(0, MOST_LINES)) {
    const part = await ask(route, item, links)
    // A summary without one of its messages would be a silent loss.
    if (part?.kind !== 'words') return part ?? { kind: 'permanent', message: 'The template is gone.' }
    titles.push(part.subject || part.text.split('\n', 1)[0]!)
  }
  return { kind: 'words', ...listWords(route, titles, count, links) }
}
