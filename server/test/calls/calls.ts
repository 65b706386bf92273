/**
 * A call of every operation that is not a GET. Tests that compare this list with the operations of the API fail when a
 * new one is missing here.
 */
import type { TestCarillon } from '../carillon.ts'
import { automationCalls } from './automation-calls.ts'
import type { Calls } from './call.ts'
import { eventCalls } from './event-calls.ts'
import { inboxCalls } from './inbox-calls.ts'
import { peopleCalls } from './people-calls.ts'
import { recordCalls } from './record-calls.ts'
import { runCalls } from './run-calls.ts'
import { scriptCalls } from './script-calls.ts'
import { sessionCalls } from './session-calls.ts'
import { settingCalls } from './setting-calls.ts'
import { templateCalls } from './template-calls.ts'
import { threadCalls } from './thread-calls.ts'
import { triggerCalls } from './trigger-calls.ts'
import { webhookCalls } from './webhook-calls.ts'

export function changingCalls(carillon: TestCarillon): Calls {
  return {
    ...recordCalls(carillon),
    ...eventCalls(carillon),
    ...runCalls(carillon),
    ...peopleCalls(carillon),
    ...settingCalls(carillon),
    ...sessionCalls(carillon),
    ...scriptCalls(carillon),
    ...templateCalls(carillon),
    ...webhookCalls(carillon),
    ...automationCalls(carillon),
    ...triggerCalls(carillon),
    ...threadCalls(carillon),
    ...inboxCalls(carillon),
  }
}
