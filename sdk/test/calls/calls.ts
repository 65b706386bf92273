/** Every method of the client, except those that go through pages. */

import { AUTOMATION_CALLS } from './automation-calls.ts'
import type { Call } from './call.ts'
import { EVENT_CALLS } from './event-calls.ts'
import { INBOX_CALLS } from './inbox-calls.ts'
import { PEOPLE_CALLS } from './people-calls.ts'
import { RECORD_CALLS } from './record-calls.ts'
import { SESSION_CALLS } from './session-calls.ts'
import { SETTING_CALLS } from './setting-calls.ts'
import { TEMPLATE_CALLS } from './template-calls.ts'
import { THREAD_CALLS } from './thread-calls.ts'
import { WEBHOOK_CALLS } from './webhook-calls.ts'

export const CALLS: Call[] = [
  ...RECORD_CALLS,
  ...EVENT_CALLS,
  ...PEOPLE_CALLS,
  ...INBOX_CALLS,
  ...THREAD_CALLS,
  ...WEBHOOK_CALLS,
  ...AUTOMATION_CALLS,
  ...TEMPLATE_CALLS,
  ...SETTING_CALLS,
  ...SESSION_CALLS,
]
