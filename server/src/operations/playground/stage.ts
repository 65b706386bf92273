/** What has to be there before anything can be sent: people, a topic that they watch, a type, and rules. */
import type { NotificationType } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import {
  CAST,
  EVENT_KINDS,
  PEOPLE,
  type PlaygroundChannel,
  RULES,
  THREAD_KIND,
  THREADS,
  TOPIC,
  TYPE,
} from './cast.ts'
import type { OwnCalls } from './own-calls.ts'

const typePath = `/v1/notification-types/${TYPE}`
const topicPath = `/v1/topics/${TOPIC}`
const userPath = (id: string) => `/v1/users/${id}`
const rulePath = (relation: string) => `/v1/fanout-rules/${encodeURIComponent(EVENT_KINDS)}/${relation}`

/** The type is written last and deleted first, so where it is, everything is. */
export async function isSet(calls: OwnCalls): Promise<boolean> {
  return (await findType(calls)) !== undefined
}

/** Nothing on it may use another channel than these, whatever is sent. */
export async function setStage(calls: OwnCalls, channels: PlaygroundChannel[]): Promise<void> {
  const type = await findType(calls)
  if (type !== undefined && type.channels.join() === channels.join()) return
  if (type !== undefined) await calls.remove(typePath)
  await all(CAST, ({ id, email, phone }) =>
    calls.put(userPath(id), { email, phone, username: id, locale: 'en' }),
  )
  // Private: whoever else watches it for whatever reason is told nothing.
  await calls.put(topicPath, { title: 'The bell tower', visibility: 'private' })
  await Promise.all([
    all(PEOPLE, ({ id, name }) =>
      calls.post(`${userPath(id)}/devices`, { kind: 'fcm', token: id, label: `${name}’s phone` }),
    ),
    all(CAST, ({ id }) => calls.put(`${topicPath}/members/${id}`, { watch: false })),
    all(PEOPLE, ({ id }) => calls.put(`${topicPath}/watch`, { user_id: id, level: 'all' })),
    all(Object.entries(RULES), ([relation, wanted]) =>
      calls.put(rulePath(relation), {
        channels: wanted.filter(channel => channels.includes(channel)),
        passes_mute: relation === 'mention',
        notification_type: TYPE,
      }),
    ),
  ])
  await calls.put(typePath, { description: 'What the playground sends', channels })
}

/** Also what people did with it: their inboxes, choices and devices go with them. */
export async function clearStage(calls: OwnCalls): Promise<void> {
  await calls.remove(typePath)
  await all(Object.keys(RULES), relation => calls.remove(rulePath(relation)))
  await all(CAST, ({ id }) => calls.remove(userPath(id)))
  await all(THREADS, id => calls.remove(`/v1/threads/${THREAD_KIND}/${id}`))
  await calls.remove(topicPath)
}

async function findType(calls: OwnCalls): Promise<NotificationType | undefined> {
  try {
    return await calls.get<NotificationType>(typePath)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  }
}

/** Whoever waits for the first message waits for all of this, so what can happen at once does. */
const all = <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) =>
  Promise.all(items.map(work))
