/** Follows what happens to the inbox, from wherever this tab hears of it, and applies it. */
import type { InboxStreamEvent } from '@carillon/sdk/inbox'
import { followLive, type LiveParts } from './live.ts'
import type { createNews } from './news.ts'
import type { PageParts, Pages } from './pages.ts'

export interface FollowingParts
  extends Omit<PageParts, 'change' | 'run'>,
    Pick<LiveParts, 'clock' | 'tabs' | 'onConnection' | 'onLeading'> {
  pages: Pages
  news: ReturnType<typeof createNews>
  /** Whether the token is somebody else's by now. */
  isOfAnother: () => boolean
  /** After what was asked before. */
  inTurn: (task: () => Promise<void>) => Promise<void>
}

export function createFollowing(parts: FollowingParts): (signal: AbortSignal) => Promise<void> {
  const { client, rows, state, fail, pages, news, isOfAnother, inTurn } = parts
  const { tabs, clock, onConnection, onLeading } = parts

  async function onEvent({ changed, reset, unread }: InboxStreamEvent) {
    const isNothing = changed.length === 0 && !reset && unread === rows.unread
    if (isNothing && state().connection === 'ready' && !isOfAnother()) return
    // The stream goes on, whatever becomes of the question.
    await news.catchUp().catch(fail)
  }

  const catchUp = () => void news.catchUp().catch(fail)

  const onTold: LiveParts['onTold'] = ({ since, changes }) => {
    inTurn(async () => {
      if (since === pages.version) news.apply(changes)
      else catchUp()
    }).catch(fail)
  }

  return async function follow(signal) {
    try {
      const version = () => pages.version
      const all = { client, tabs, clock, version, onConnection, onLeading, onEvent, onTold, onLed: catchUp }
      await followLive(all, signal)
    } catch (error) {
      if (!signal.aborted) fail(error)
    }
  }
}
