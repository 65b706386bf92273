/** The entry `@carillon/sdk/inbox`: what a page needs, and nothing that belongs on a server. */
export type * from '@carillon/contract'
export { CarillonConnectionError, CarillonError, CarillonPersonError, CarillonTokenError } from './errors.ts'
export type { CallOptions } from './http.ts'
export type { Seen } from './inbox.ts'
export { createInboxClient, type InboxClient, type InboxClientOptions } from './inbox-client.ts'
export type { StreamOptions } from './inbox-stream.ts'
