/** Who plays, and where: made-up people whose ids, addresses and numbers are nobody's. */
import { PLAYGROUND, type PlaygroundPerson } from '@carillon/contract'

/** .example is reserved for documentation, and so are these telephone numbers. */
const person = (name: string, number: string): PlaygroundPerson => {
  const short = name.toLowerCase()
  return { id: `${PLAYGROUND}-${short}`, name, email: `${short}@${PLAYGROUND}.example`, phone: number }
}

/** Whose inboxes are shown. */
export const PEOPLE = [person('Ada', '+12025550143'), person('Grace', '+12025550172')]
/** Does what they are told of, unless they do it themselves. */
export const ACTOR = person('Margaret', '+12025550119')
export const CAST = [...PEOPLE, ACTOR]

export const TOPIC = `${PLAYGROUND}-tower`
export const TYPE = PLAYGROUND
export const PRODUCER = PLAYGROUND
export const EVENT_KINDS = `${PLAYGROUND}_*`
export const THREAD_KIND = 'issue'
export const THREADS = [`${PLAYGROUND}-1`, `${PLAYGROUND}-2`]

export const CHANNELS = ['in_app', 'email', 'sms', 'push'] as const
export type PlaygroundChannel = (typeof CHANNELS)[number]

/** Every relation has a rule, so that no rule of the tenant's own decides about them. */
export const RULES: Record<string, readonly PlaygroundChannel[]> = {
  mention: ['in_app', 'email', 'push'],
  assignee: ['in_app', 'email', 'sms'],
  reviewer: ['in_app', 'email'],
  author: ['in_app', 'email', 'push'],
  commenter: ['in_app', 'email'],
  subscribed: ['in_app', 'email'],
  watching: ['in_app', 'email'],
  owner: ['in_app'],
}

export const isOfCast = (userId: string): boolean => CAST.some(({ id }) => id === userId)
