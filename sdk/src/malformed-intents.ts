/** Intents that could not be accepted, as they were received. */
import type { MalformedIntent, MalformedIntentQuery } from '@carillon/contract'
import type { Send } from './http.ts'
import { pagedList } from './pages.ts'

export function createMalformedIntents(send: Send) {
  return pagedList<MalformedIntent, MalformedIntentQuery>(send, '/v1/malformed-intents')
}
