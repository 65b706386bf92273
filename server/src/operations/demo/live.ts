/** What happens now, as an application would say it: discussions that fill inboxes, and orders that are captured. */
import type { Executor } from '../../platform/database/pool.ts'
import { KINDS, PEOPLE, threadTitle, topicOf } from './cast.ts'
import type { Chance } from './chance.ts'

const EVENTS = 40
const INTENTS = 25

export async function playLive(db: Executor, tenant: string, chance: Chance): Promise<void> {
  for (let i = 0; i < EVENTS; i++) {
    const number = chance.between(0, 89)
    const [actor, mentioned] = chance.some(PEOPLE, 2)
    const isMention = chance.is(0.3)
    await db.query('select carillon.emit_event($1)', [
      {
        tenant,
        kind: 'comment.created',
        producer: 'issues',
        actor_id: actor!.id,
        topic: topicOf(number),
        thread: { kind: 'issue', id: `${topicOf(number)}/${1000 + number}`, title: threadTitle(number) },
        relations: isMention ? { mention: [mentioned!.id] } : {},
        payload: { title: threadTitle(number), body: 'This also happens with an empty basket.' },
        idempotency_key: `comment-${i}`,
      },
    ])
  }
  for (let i = 0; i < INTENTS; i++) {
    const kind = chance.pick(KINDS)
    await db.query('select carillon.notify($1::jsonb)', [
      {
        tenant,
        notification_type: kind.name,
        producer: kind.producer,
        audience: { kind: 'users', user_ids: [chance.pick(PEOPLE).id] },
        payload: kind.payload(i),
        idempotency_key: `${kind.producer}-now-${i}`,
      },
    ])
  }
}
