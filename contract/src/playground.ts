/** The playground: a page of the server on which two made-up people get whatever you send. */
import { z } from 'zod'
import { Channel, Name, Timestamp } from './common.ts'
import { Decision } from './records.ts'
import { RouteStatus } from './routes.ts'

/** They and all that is theirs begin like this, so that nobody is hit by accident. */
export const PLAYGROUND = 'playground'

const Person = z.object({ id: z.string(), name: z.string(), email: z.string(), phone: z.string() })
export type PlaygroundPerson = z.infer<typeof Person>

export const PlaygroundStage = z.object({
  tenant: z.string(),
  is_first_tenant: z.boolean().describe('The one that data/api-key is for'),
  topic: z.string(),
  /** Whose inboxes are shown. */
  people: z.array(Person),
  /** Who does what they are told of. */
  actor: Person,
  is_set: z.boolean().describe('false: the first thing that is sent creates the people and what they need'),
  channels: z.array(
    z.object({ channel: Channel, is_used: z.boolean().describe('false: a real provider would send it') }),
  ),
  exits: z.array(z.string()).describe('Why nothing is sent at all, a sentence each; empty if nothing leaves'),
  expires_at: Timestamp.describe('When the link stops working'),
})
export type PlaygroundStage = z.infer<typeof PlaygroundStage>

export const PlaygroundTokenInput = z.strictObject({ user_id: Name(200) })

const Message = z.object({
  id: z.string(),
  user_id: z.string(),
  channel: Channel,
  address: z.string(),
  subject: z.string(),
  text: z.string(),
  frame: z.string().nullable().describe('Where the HTML of a mail is shown, for some minutes'),
  at: Timestamp,
})
export type PlaygroundMessage = z.infer<typeof Message>

/** What became of an event or an intent so far, in words. */
export const PlaygroundOutcome = z.object({
  is_settled: z.boolean().describe('false: more will follow without anybody doing anything'),
  summary: z.string(),
  decisions: z.array(Decision),
  people: z.array(
    z.object({
      user_id: z.string(),
      text: z.string().describe('Why the person was told or not; empty for an intent, which names them'),
      routes: z.array(
        z.object({
          channel: Channel,
          status: RouteStatus,
          summary: z.string(),
          decisions: z.array(Decision),
        }),
      ),
    }),
  ),
  messages: z.array(Message),
})
export type PlaygroundOutcome = z.infer<typeof PlaygroundOutcome>
