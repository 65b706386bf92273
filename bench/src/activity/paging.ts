/** What a page costs at the beginning, in the middle and at the end of long lists. */
import { encodeCursor } from '../../../server/dist/platform/http/page.js'
import { type Context, compare, type Result } from '../result.ts'
import { measureRounds } from '../rounds.ts'
import { BUSIEST, DAYS } from './months-of-records.ts'

const PAGES = 10
/** The newest pages need the live tables alone; later ones ask those first and then both places, however deep they are. */
const AIM = 0.25
const PLACES = ['beginning', 'middle', 'end'] as const
type Place = (typeof PLACES)[number]

interface Page {
  next_cursor: string | null
}

/** `lastDays`: how many of the oldest days fill about ten pages. */
const LISTS: [what: string, path: string, lastDays: number, cursorOf: typeof recordCursor][] = [
  ['records', '/v1/records?limit=50', 0.04, recordCursor],
  ['records of a type', `/v1/records?limit=50&notification_type=${BUSIEST.type}`, 0.25, recordCursor],
  ['dead records', '/v1/records?limit=50&status=dead', 1.5, recordCursor],
  ['records of the busiest person', `/v1/records?limit=50&user_id=${BUSIEST.person}`, 1.5, recordCursor],
  ['routes', '/v1/routes?limit=50', 0.03, routeCursor],
]

export async function measurePaging(
  { rounds, scale, tell }: Context,
  read: (path: string) => Promise<Page>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [what, path, lastDays, cursorOf] of LISTS) {
    const daysAgo = { beginning: 0, middle: DAYS / 2, end: Math.max(0, DAYS - lastDays / scale) }
    const measure = async (place: Place) => {
      let cursor: string | null =
        place === 'beginning' ? '' : cursorOf(Date.now() - daysAgo[place] * 86_400_000)
      const start = performance.now()
      let pages = 0
      while (cursor !== null && pages < PAGES) {
        cursor = (await read(`${path}${cursor === '' ? '' : `&cursor=${cursor}`}`)).next_cursor
        pages++
      }
      return pages / ((performance.now() - start) / 1000)
    }
    const rates = await measureRounds({
      rounds,
      variants: PLACES,
      measure,
      tell: line => tell(`${what}: ${line}`),
    })
    for (const place of ['middle', 'end'] as const)
      results.push(
        compare({
          name: 'activity',
          what: `pages of ${what}, ${place} : beginning`,
          measured: rates[place],
          anchor: rates.beginning,
          aim: AIM,
          show: rate => `${(1000 / rate).toFixed(1)} ms`,
        }),
      )
  }
  return results
}

/** As if a page had ended at this time. */
function recordCursor(ms: number): string {
  return encodeCursor([new Date(ms).toISOString(), firstIdAt(ms)])
}

function routeCursor(ms: number): string {
  return encodeCursor([firstIdAt(ms), 'email'])
}

function firstIdAt(ms: number): string {
  const hex = Math.floor(ms).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
