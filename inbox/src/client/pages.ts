/** The list of a view, page by page. What is shown stays until there is something better. */
import type { InboxClient, InboxItem } from '@carillon/sdk/inbox'
import { columnOf, isAboutFilter, textOf } from './problems.ts'
import type { Rows } from './rows.ts'
import { EMPTY, type InboxState, type View } from './state.ts'
import { ownPosition, queryOf } from './views.ts'

export interface PageParts {
  client: InboxClient
  rows: Rows
  state: () => InboxState
  change: (changes?: Partial<InboxState>) => void
  fail: (error: unknown) => void
  run: <T>(task: () => Promise<T>) => Promise<T>
  /** Gives what says whether the inbox was stopped since, or has begun anew: what is answered then is of before. */
  begun: () => () => boolean
}

/** As much as the server gives at once; after a reset, a list is read again as far as this many of them. */
const MOST_ROWS = 100
const MOST_PAGES = 10

export function createPages({ client, rows, state, change, fail, run, begun }: PageParts, pageSize: number) {
  /** What the rows are of; the person may have asked for something else since, or mistyped it. */
  let view: View = EMPTY.view
  let cursor: string | null = null
  let version: string | undefined
  let isLoaded = false
  /** Asked for, and not begun. */
  let reloading: Promise<void> | undefined

  /** Reads at least `count` rows of what the person wants to see now, if there are so many. */
  async function read(count: number): Promise<void> {
    const wanted = state().view
    const isOver = begun()
    const items: InboxItem[] = []
    let seen: string | undefined
    let next: string | null = null
    for (let page = 0; page < MOST_PAGES; page++) {
      const limit = Math.min(MOST_ROWS, Math.max(count - items.length, 1))
      const answer = await client.list({ q: queryOf(wanted), limit, ...(next !== null && { cursor: next }) })
      // What the first page has not seen, a later answer tells.
      seen ??= answer.version
      items.push(...answer.data)
      next = answer.next_cursor
      if (next === null || items.length >= count) break
    }
    if (isOver() || state().view !== wanted) return
    view = wanted
    cursor = next
    version = seen
    isLoaded = true
    rows.replace(items, next !== null)
    change({ connection: 'ready', problem: '', problemAt: undefined, isRefreshing: false })
  }

  async function load(count = pageSize): Promise<void> {
    const { view: wanted } = state()
    try {
      await run(async () => {
        reloading = undefined
        if (state().view === wanted) await read(count)
      })
    } catch (error) {
      reloading = undefined
      if (state().view !== wanted) return
      change({ isRefreshing: false })
      if (isAboutFilter(error))
        change({
          connection: 'ready',
          problem: textOf(error),
          problemAt: ownPosition(wanted, columnOf(error)),
        })
      else fail(error)
    }
  }

  return {
    load,
    /** What was loaded was somebody else's. */
    forget(): void {
      cursor = null
      version = undefined
      isLoaded = false
    },
    get view() {
      return view
    },
    get hasMore() {
      return cursor !== null
    },
    get isLoaded() {
      return isLoaded
    },
    get version() {
      return version
    },
    set version(seen: string | undefined) {
      version = seen
    },
    /** Of the view that the rows are of, as far as it was loaded. Calls that come while one waits are that one. */
    reload(): Promise<void> {
      reloading ??= load(Math.max(pageSize, rows.listedCount))
      return reloading
    },
    async show(wanted: Partial<View>): Promise<void> {
      const before = state()
      const next = { ...before.view, ...wanted }
      // The rows of another filter are close to what comes; those of another tab are something else.
      const isOther = next.tab !== before.view.tab
      if (isOther) {
        view = next
        cursor = null
        rows.clear()
      }
      const connection = isOther && before.connection === 'ready' ? 'loading' : before.connection
      change({ view: next, connection, problem: '', problemAt: undefined, isRefreshing: !isOther })
      await load()
    },
    async loadMore(): Promise<void> {
      if (cursor === null || state().isLoadingMore) return
      const of = view
      change({ isLoadingMore: true })
      try {
        await run(async () => {
          if (of !== view || cursor === null) return
          const page = await client.list({ q: queryOf(of), limit: pageSize, cursor })
          if (of !== view) return
          cursor = page.next_cursor
          rows.append(page.data, cursor !== null)
        })
      } catch (error) {
        fail(error)
      } finally {
        change({ isLoadingMore: false })
      }
    },
  }
}

export type Pages = ReturnType<typeof createPages>
