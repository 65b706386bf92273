/** The email log: which mails about threads and events a person got. */
import { z } from 'zod'
import { Name, PageQuery, Timestamp } from './common.ts'
import { ThreadRef } from './intents.ts'

export const LoggedEmail = z.object({
  id: z.string().describe('Grows with every mail'),
  user_id: z.string(),
  notification_id: z.uuid().describe('The record under which it was sent'),
  route_id: z.string(),
  inbox_id: z
    .uuid()
    .nullable()
    .describe('The inbox row it is about; null if there is none, or none any more'),
  thread: ThreadRef.nullable(),
  message_id: z.string().describe('What is before the @ of its Message-ID'),
  sent_at: Timestamp,
})
export type LoggedEmail = z.infer<typeof LoggedEmail>

export const EmailLogQuery = PageQuery.extend({ user_id: Name(200) })
export type EmailLogQuery = z.infer<typeof EmailLogQuery>
