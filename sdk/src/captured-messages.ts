/** Messages that were captured instead of sent. */
import type { CapturedMessage, CapturedMessageQuery } from '@carillon/contract'
import type { Send } from './http.ts'
import { pagedList } from './pages.ts'

export function createCapturedMessages(send: Send) {
  return pagedList<CapturedMessage, CapturedMessageQuery>(send, '/v1/captured-messages')
}
