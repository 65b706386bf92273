/**
 * What a template makes of a digest. One that was written for digests is asked once. One that knows single messages only
 * is asked for each of them, and their titles are listed: nobody has to write a second template because somebody wants a
 * summary.
 */

import { isDigest } from '../../delivery/attempts/hold.ts'
import type { ClaimedRoute } from '../../delivery/routes/claim.ts'
import type { MailLinks } from '../links/mail-links.ts'
import { listWords, MOST_LINES, titleOf, type Words } from './render.ts'

export type Wording =
  /** `reads`: the fields of the payload that the template declares. */
  | ({ kind: 'words'; reads: string[] } & Words)
  /** permanent: somebody has to correct something. retry: it may work in a moment. */
  | { kind: 'permanent' | 'retry'; message: string; hint?: string; reads?: string[] }

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
  if (route.template_version_id === null) return undefined
  // One template serves both: what goes out alone is a digest of one.
  if (!isDigest(route)) return ask(route, { items: [payload], count: 1, ...payload }, links)
  const items = payload.items as Payload[]
  const whole = await ask(route, payload, links)
  // Without knowing what it reads there is no better way: it is gone or switched off.
  if (whole?.reads === undefined || isForDigests(whole.reads, items)) return whole
  if (payload.count === 1) return ask(route, items[0]!, links)
  return oneByOne(route, items, Number(payload.count), links, ask)
}

/** Messages may have `items` of their own, such as the lines of an order. */
function isForDigests(reads: string[], items: Payload[]): boolean {
  return ['items', 'count'].some(
    name => reads.includes(name) && !items.some(item => Object.hasOwn(item, name)),
  )
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
    if (part?.kind === 'retry') return part
    // One that cannot be filled in is told by its payload: it must not take the others with it.
    const said = part?.kind === 'words' ? part.subject || part.text.split('\n', 1)[0] : undefined
    titles.push(said || titleOf(item, route))
  }
  return { kind: 'words', reads: [], ...listWords(route, titles, count, links) }
}
