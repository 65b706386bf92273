/** The mails about threads and events that people got. */
import type { EmailLogQuery, LoggedEmail } from '@carillon/contract'
import type { Send } from './http.ts'
import { pagedList } from './pages.ts'

export function createEmailLog(send: Send) {
  return pagedList<LoggedEmail, Partial<EmailLogQuery> & Pick<EmailLogQuery, 'user_id'>>(
    send,
    '/v1/email-log',
  )
}
