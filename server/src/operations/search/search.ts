/** Search: what somebody means who types an id, a key or the beginning of a name. */
import { type Scope, SEARCH_KINDS, type SearchKind, type SearchResult } from '@carillon/contract'
import { isPermitted } from '../../platform/calls/principal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { type FoundRow, type Needle, selectFound } from './queries.ts'

const MAX_RESULTS = 20
/** Of one kind, so that the others come up too. */
const MAX_OF_KIND = 8

/** What a key needs to find them: the scope that lists them. */
const SCOPES: Record<SearchKind, Scope> = {
  user: 'users:read',
  record: 'records:read',
  event: 'events:read',
  dead_letter: 'dead_letters:read',
  notification_type: 'types:read',
  template: 'templates:read',
  provider: 'providers:read',
  webhook: 'webhooks:read',
  trigger: 'triggers:read',
  script: 'scripts:read',
  topic: 'topics:read',
  thread: 'topics:read',
}

/** They are found by their id alone, so that nothing is asked about them for other words. */
const BY_UUID_ONLY: SearchKind[] = ['dead_letter', 'webhook']

export async function search(
  db: Executor,
  caller: { tenant_id: string; scopes: readonly Scope[] },
  q: string,
): Promise<SearchResult[]> {
  const needle = needleOf(q)
  const kinds = SEARCH_KINDS.filter(kind => isPermitted(caller, SCOPES[kind]) && canBe(kind, needle))
  const found: SearchResult[][] = []
  for (const kind of kinds) {
    const rows = await selectFound(db, caller.tenant_id, kind, needle)
    found.push(rows.slice(0, MAX_OF_KIND).map(row => toResult(kind, row)))
  }
  return shareOut(found, MAX_RESULTS)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function needleOf(q: string): Needle {
  const prefix = `${q.replace(/[\\%_]/g, '\\$&')}%`
  return { text: q, uuid: UUID.test(q) ? q : null, prefix, limit: MAX_OF_KIND }
}

function canBe(kind: SearchKind, { text, uuid }: Needle): boolean {
  if (BY_UUID_ONLY.includes(kind)) return uuid !== null
  return kind !== 'thread' || text.includes(':')
}

function toResult(kind: SearchKind, { id, title, subtitle, at }: FoundRow): SearchResult {
  return { kind, id, title, subtitle, at: at?.toISOString() ?? null }
}

/** The first of each kind, then the second of each, until there are enough; those of a kind stay together. */
function shareOut<T>(lists: T[][], limit: number): T[] {
  const taken = lists.map(() => 0)
  for (let left = limit; left > 0; ) {
    const turn = [...lists.keys()].filter(n => taken[n]! < lists[n]!.length).slice(0, left)
    if (turn.length === 0) break
    for (const n of turn) taken[n]!++
    left -= turn.length
  }
  return lists.flatMap((list, n) => list.slice(0, taken[n]))
}
