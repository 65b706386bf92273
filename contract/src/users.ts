/** Users: recipients and operators, by the caller's own ids. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { EmailAddress, Name, PageQuery, Timestamp } from './common.ts'
import { TimeZone } from './time-zone.ts'

export const User = z.object({
  id: z.string(),
  email: z.string().nullable(),
  username: z.string().nullable(),
  phone: z.string().nullable(),
  chat_address: z.string().nullable(),
  locale: z.string(),
  timezone: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type User = z.infer<typeof User>

export const UserInput = z.strictObject({
  email: EmailAddress.nullable().default(null),
  username: Name(100).nullable().default(null),
  phone: Name(50)
    .describe('An E.164 number such as +4915112345678; spaces and the like are removed')
    .nullable()
    .default(null),
  chat_address: Name(500)
    .describe(
      'Where chat messages go, as the chat provider knows the person: whatsapp:+4915112345678, a Telegram chat, a Slack member',
    )
    .nullable()
    .default(null),
  locale: z
    .string()
    .max(35)
    .regex(/^$|^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'Expected a locale such as en or pt-BR.')
    .default(''),
  timezone: TimeZone.default('UTC'),
})
export type UserInput = z.input<typeof UserInput>

export const UserChanges = ChangesOf(UserInput)
export type UserChanges = z.infer<typeof UserChanges>

export const UserQuery = PageQuery.extend({
  email: z.string().max(255).optional(),
  username: z.string().max(100).optional(),
})
