/**
 * The consumer that tells people of events: who, by which rule and on which channels is decided in fan_out(), a portion of
 * people per transaction. Before that, the tenant's own server is asked who may see it, if it wants to be.
 */
import type { Visibility } from '../../inbox/visibility/visibility.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { EventConsumer } from '../event-consumers/consumer.ts'
import { fanOut, selectPeople, selectRuled } from './queries.ts'

/** People per transaction: large enough to be quick, small enough that others have their turn. */
const MOST = 5000
/** While somebody else is asked about them, each of whom is a line of the question. */
const MOST_ASKED = 1000

export interface FanoutOptions {
  pool: Pool
  visibility: Visibility
  /** Inbox rows and routes were written and committed; null: of too many people to name. */
  onTold: (tenantId: string, userIds: string[] | null) => void
  most?: number
}

interface Asked {
  visible: string[]
  /** The last person who was asked about, if there may be more; null if these were all. */
  until: string | null
}

export function createFanoutConsumer({
  pool,
  visibility,
  onTold,
  most = MOST,
}: FanoutOptions): EventConsumer<Asked> {
  // Of the transactions that are open, by tenant: one after the other reads the log of a tenant.
  const told = new Map<string, string[] | null>()
  return {
    name: 'notify_fanout',
    wanted: selectRuled,
    prepares: tenantId => visibility.isAsked(tenantId),
    async prepare(event, chunkCursor) {
      const { after } = decode(chunkCursor)
      const size = Math.min(most, MOST_ASKED)
      const { topic, people } = await selectPeople(pool, event.tenant_id, event.event_id, {
        after,
        most: size,
      })
      const thread =
        event.thread_kind === null ? null : { kind: event.thread_kind, id: event.thread_id ?? '' }
      const question = { topic, thread, event_id: event.event_id, user_ids: people }
      const visible = await visibility.ask(event.tenant_id, question)
      return { visible, until: people.length < size ? null : people.at(-1)! }
    },
    async handle(tx, event, chunkCursor, asked) {
      const { after, isRepeat } = decode(chunkCursor)
      const done = await fanOut(tx, event.tenant_id, event.event_id, {
        ...{ after, isRepeat, most },
        visible: asked?.visible ?? null,
        until: asked?.until ?? null,
      })
      const before = told.get(event.tenant_id) ?? (told.has(event.tenant_id) ? null : [])
      told.set(event.tenant_id, before === null || done.told === null ? null : [...before, ...done.told])
      return done.is_done ? undefined : encode(done.last_user, done.was_repeat === true)
    },
    onCommitted(tenantId) {
      const people = told.get(tenantId)
      told.delete(tenantId)
      if (people === null || (people !== undefined && people.length > 0)) onTold(tenantId, people)
    },
  }
}

/** Where a large event continues: the last person, and whether it had been fanned out before it began. */
function encode(lastUser: string, isRepeat: boolean): string {
  return `${isRepeat ? 'again' : 'first'}:${lastUser}`
}

function decode(chunkCursor: string): { after: string; isRepeat: boolean | null } {
  if (chunkCursor === '') return { after: '', isRepeat: null }
  const at = chunkCursor.indexOf(':')
  return { after: chunkCursor.slice(at + 1), isRepeat: chunkCursor.slice(0, at) === 'again' }
}
