/** The live stream of an inbox (server-sent events). */
import { z } from 'zod'
import { InboxOwnerQuery, InboxVersion, UnreadCount } from './inbox.ts'

export const InboxStreamQuery = InboxOwnerQuery.extend({
  access_token: z
    .string()
    .max(2000)
    .optional()
    .describe('A user token, for a browser’s EventSource, which cannot send headers'),
  last_event_id: InboxVersion.optional().describe(
    'What has been seen already, for a first connection; later ones send the header Last-Event-ID',
  ),
  max_seconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe('Ends the stream by then; 0 answers at once. For proxies that pass on nothing before the end'),
})
export type InboxStreamQuery = z.input<typeof InboxStreamQuery>

/** The data of an event `inbox`; its id is the version. */
export const InboxStreamEvent = UnreadCount.extend({
  reset: z.boolean().describe('More has changed than is listed: read the list again'),
  changed: z.array(z.uuid()).describe('What was added, changed or taken away'),
})
export type InboxStreamEvent = z.infer<typeof InboxStreamEvent>
