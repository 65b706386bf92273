/**
 * A call of every operation that is not a GET. Tests that compare this list with the operations of the API fail when a
 * new one is missing here.
 */
import type { TestCarillon } from '../carillon.ts'
import type { Calls } from './call.ts'
import { peopleCalls } from './people-calls.ts'
import { recordCalls } from './record-calls.ts'
import { settingCalls } from './setting-calls.ts'
import { templateCalls } from './template-calls.ts'
import { webhookCalls } from './webhook-calls.ts'

export function changingCalls(carillon: TestCarillon): Calls {
  return {
    ...recordCalls(carillon),
    ...peopleCalls(carillon),
    ...settingCalls(carillon),
    ...templateCalls(carillon),
    ...webhookCalls(carillon),
  }
}
