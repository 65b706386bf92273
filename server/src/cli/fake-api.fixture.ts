/** A fake Carillon on loopback that checks every request against the contract and answers as the test says. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ApiKeyQuery,
  AuditLogExportQuery,
  AuditLogQuery,
  BrandingChanges,
  BulkActionInput,
  DeadLetterGroupQuery,
  DeadLetterQuery,
  EmailLogQuery,
  ERRORS,
  type ErrorCode,
  EventExplainQuery,
  EventQuery,
  ExplainQuery,
  InboxOwnerQuery,
  InboxQuery,
  Intent,
  InvokeScript,
  KvEntryInput,
  KvEntryQuery,
  NewApiKey,
  NewEvent,
  NewNotification,
  NewQueueMessage,
  NewSchedule,
  NewScript,
  NewTrigger,
  NewWebhook,
  PageQuery,
  PreviewSavedTemplate,
  type Problem,
  PublishTemplate,
  ReadAllInput,
  RecordQuery,
  RecoverWebhook,
  ReplayDeadLetter,
  ReplayDeadLetters,
  ResetEventCursor,
  ResolveDeadLetter,
  ResolveSystemEvent,
  RollBackScript,
  RunQuery,
  ScheduleChanges,
  SchedulePreviewQuery,
  ScheduleRunsQuery,
  ScriptChanges,
  ScriptQuery,
  StreamChanges,
  SubscriptionInput,
  Suspension,
  SystemEventQuery,
  TemplateInput,
  TemplatePartInput,
  TemplateQuery,
  TenantChange,
  TestScript,
  TestSource,
  TestWebhook,
  TopicInput,
  TopicQuery,
  TranslationsInput,
  TriggerChanges,
  TriggerQuery,
  UserTokenInput,
  WatchInput,
  WebhookDeliveryQuery,
  WebhookQuery,
} from '@carillon/contract'
import { onTestFinished } from 'vitest'
import { type ZodType, z } from 'zod'

interface FakeRequest {
  /** METHOD and path. */
  call: string
  /** The query or the body, as it arrived. */
  input: unknown
  /** How often this call was made, including this time. */
  callNo: number
}

export interface FakeAnswer {
  status: number
  body?: unknown
}

/** Answers by "METHOD /path"; a plain value is a 200. */
export type Answers = { [call: string]: (request: FakeRequest) => unknown }

export interface FakeApi {
  url: string
  /** What was called, with its query or body. */
  calls: [call: string, input?: unknown][]
}

const nothing = z.undefined()
const INPUTS: [method: string, path: RegExp, schema: ZodType][] = [
  ['GET', /^\/(healthz|readyz)$/, z.strictObject({})],
  ['GET', /^\/v1\/records$/, RecordQuery],
  ['GET', /^\/v1\/records\/[^/]+$/, z.strictObject({})],
  ['GET', /^\/v1\/records\/[^/]+\/routes$/, PageQuery],
  ['GET', /^\/v1\/records\/[^/]+\/explain$/, ExplainQuery],
  ['POST', /^\/v1\/records\/[^/]+\/cancel$/, nothing],
  ['GET', /^\/v1\/tenants(\/[^/]+)?$/, z.strictObject({})],
  ['PATCH', /^\/v1\/tenants\/[^/]+$/, TenantChange],
  ['DELETE', /^\/v1\/tenants\/[^/]+$/, nothing],
  ['POST', /^\/v1\/tenants\/[^/]+\/suspend$/, Suspension],
  ['POST', /^\/v1\/tenants\/[^/]+\/resume$/, nothing],
  ['POST', /^\/v1\/intents$/, Intent],
  ['POST', /^\/v1\/intents\/simulate$/, Intent],
  ['GET', /^\/v1\/streams$/, PageQuery],
  ['PATCH', /^\/v1\/streams\/[^/]+$/, StreamChanges],
  ['DELETE', /^\/v1\/streams\/[^/]+$/, nothing],
  ['GET', /^\/v1\/schedules$/, PageQuery],
  ['POST', /^\/v1\/schedules$/, NewSchedule],
  ['GET', /^\/v1\/schedules\/preview$/, SchedulePreviewQuery],
  ['GET', /^\/v1\/schedules\/[^/]+$/, z.strictObject({})],
  ['PATCH', /^\/v1\/schedules\/[^/]+$/, ScheduleChanges],
  ['DELETE', /^\/v1\/schedules\/[^/]+$/, nothing],
  ['GET', /^\/v1\/schedules\/[^/]+\/preview$/, ScheduleRunsQuery],
  ['GET', /^\/v1\/kv$/, PageQuery],
  ['GET', /^\/v1\/kv\/[^/]+$/, KvEntryQuery],
  ['GET', /^\/v1\/kv\/[^/]+\/[^/]+$/, z.strictObject({})],
  ['PUT', /^\/v1\/kv\/[^/]+\/[^/]+$/, KvEntryInput],
  ['GET', /^\/v1\/topics$/, TopicQuery],
  ['PUT', /^\/v1\/topics\/[^/]+$/, TopicInput],
  ['PUT', /^\/v1\/topics\/[^/]+\/watch$/, WatchInput],
  ['PUT', /^\/v1\/threads\/[^/]+\/[^/]+\/subscription$/, SubscriptionInput],
  ['GET', /^\/v1\/threads\/[^/]+\/[^/]+\/subscriptions$/, PageQuery],
  ['DELETE', /^\/v1\/kv\/[^/]+\/[^/]+$/, nothing],
  ['POST', /^\/v1\/queues\/[^/]+$/, NewQueueMessage],
  ['GET', /^\/v1\/inbox$/, InboxQuery],
  ['GET', /^\/v1\/inbox\/unread-count$/, InboxOwnerQuery],
  ['POST', /^\/v1\/inbox\/actions$/, BulkActionInput],
  ['POST', /^\/v1\/inbox\/read-all$/, ReadAllInput],
  ['POST', /^\/v1\/notifications$/, NewNotification],
  ['DELETE', /^\/v1\/notifications\/[^/]+$/, nothing],
  ['GET', /^\/v1\/events$/, EventQuery],
  ['POST', /^\/v1\/events$/, NewEvent],
  ['POST', /^\/v1\/events\/simulate$/, NewEvent],
  ['GET', /^\/v1\/events\/[^/]+$/, z.strictObject({})],
  ['GET', /^\/v1\/events\/[^/]+\/explain$/, EventExplainQuery],
  ['GET', /^\/v1\/event-consumers$/, z.strictObject({})],
  ['POST', /^\/v1\/event-consumers\/[^/]+\/reset$/, ResetEventCursor],
  ['GET', /^\/v1\/scripts$/, ScriptQuery],
  ['POST', /^\/v1\/scripts$/, NewScript],
  ['POST', /^\/v1\/scripts\/test$/, TestSource],
  ['GET', /^\/v1\/scripts\/[^/]+$/, z.strictObject({})],
  ['PATCH', /^\/v1\/scripts\/[^/]+$/, ScriptChanges],
  ['DELETE', /^\/v1\/scripts\/[^/]+$/, nothing],
  ['POST', /^\/v1\/scripts\/[^/]+\/test$/, TestScript],
  ['POST', /^\/v1\/scripts\/[^/]+\/invoke$/, InvokeScript],
  ['GET', /^\/v1\/runs$/, RunQuery],
  ['GET', /^\/v1\/runs\/[^/]+$/, z.strictObject({})],
  ['GET', /^\/v1\/abandoned-executions$/, PageQuery],
  ['POST', /^\/v1\/scripts\/[^/]+\/rollback$/, RollBackScript],
  ['GET', /^\/v1\/scripts\/[^/]+\/versions$/, PageQuery],
  ['GET', /^\/v1\/scripts\/[^/]+\/versions\/[^/]+$/, z.strictObject({})],
  ['GET', /^\/v1\/triggers$/, TriggerQuery],
  ['POST', /^\/v1\/triggers$/, NewTrigger],
  ['GET', /^\/v1\/triggers\/[^/]+$/, z.strictObject({})],
  ['PATCH', /^\/v1\/triggers\/[^/]+$/, TriggerChanges],
  ['DELETE', /^\/v1\/triggers\/[^/]+$/, nothing],
  ['POST', /^\/v1\/triggers\/[^/]+\/rotate-url$/, nothing],
  ['GET', /^\/v1\/dead-letters$/, DeadLetterQuery],
  ['GET', /^\/v1\/dead-letters\/groups$/, DeadLetterGroupQuery],
  ['POST', /^\/v1\/dead-letters\/replay$/, ReplayDeadLetters],
  ['GET', /^\/v1\/dead-letters\/[^/]+$/, z.strictObject({})],
  ['POST', /^\/v1\/dead-letters\/[^/]+\/replay$/, ReplayDeadLetter],
  ['POST', /^\/v1\/dead-letters\/[^/]+\/resolve$/, ResolveDeadLetter],
  ['GET', /^\/v1\/webhooks$/, WebhookQuery],
  ['POST', /^\/v1\/webhooks$/, NewWebhook],
  ['POST', /^\/v1\/webhooks\/[^/]+\/test$/, TestWebhook],
  ['GET', /^\/v1\/webhooks\/[^/]+\/deliveries$/, WebhookDeliveryQuery],
  ['POST', /^\/v1\/webhooks\/[^/]+\/deliveries\/[^/]+\/redeliver$/, nothing],
  ['POST', /^\/v1\/webhooks\/[^/]+\/recoveries$/, RecoverWebhook],
  ['GET', /^\/v1\/webhooks\/[^/]+\/recoveries\/[^/]+$/, z.strictObject({})],
  ['POST', /^\/v1\/users\/[^/]+\/token$/, UserTokenInput],
  ['POST', /^\/v1\/users\/[^/]+\/tokens\/revoke$/, nothing],
  ['GET', /^\/v1\/api-keys$/, ApiKeyQuery],
  ['POST', /^\/v1\/api-keys$/, NewApiKey],
  ['DELETE', /^\/v1\/api-keys\/[^/]+$/, nothing],
  ['GET', /^\/v1\/templates$/, TemplateQuery],
  ['GET', /^\/v1\/templates\/[^/]+\/[^/]+\/[^/]+$/, z.strictObject({})],
  ['PUT', /^\/v1\/templates\/[^/]+\/[^/]+\/[^/]+$/, TemplateInput],
  ['POST', /^\/v1\/templates\/[^/]+\/[^/]+\/[^/]+\/publish$/, PublishTemplate],
  ['POST', /^\/v1\/templates\/[^/]+\/[^/]+\/[^/]+\/preview$/, PreviewSavedTemplate],
  ['PUT', /^\/v1\/template-parts\/(layout|partial)\/[^/]+$/, TemplatePartInput],
  ['PATCH', /^\/v1\/branding$/, BrandingChanges],
  ['PUT', /^\/v1\/translations\/[^/]+$/, TranslationsInput],
  ['GET', /^\/v1\/system-events$/, SystemEventQuery],
  ['GET', /^\/v1\/email-log$/, EmailLogQuery],
  ['GET', /^\/v1\/audit-logs$/, AuditLogQuery],
  ['GET', /^\/v1\/audit-logs\/export$/, AuditLogExportQuery],
  ['GET', /^\/v1\/metrics\/overview$/, z.strictObject({})],
  ['GET', /^\/v1\/doctor$/, z.strictObject({})],
  ['POST', /^\/v1\/system-events\/[0-9]+\/resolve$/, ResolveSystemEvent],
]

export async function startFakeApi(answers: Answers): Promise<FakeApi> {
  const calls: FakeApi['calls'] = []
  const server = createServer(async (request, response) => {
    const received = await read(request)
    calls.push(received.input === undefined ? [received.call] : [received.call, received.input])
    const callNo = calls.filter(([call]) => call === received.call).length
    const { status, body } = answer({ ...received, callNo })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  })

  function answer(request: FakeRequest & { authorization: string | undefined }): FakeAnswer {
    const isPublic = request.call.endsWith('z')
    if (!isPublic && request.authorization !== 'Bearer ck_test')
      return problem('unauthenticated', 'No such key.')
    const [, , schema] = INPUTS.find(([method, path]) => fits(request.call, method, path)) ?? []
    const checked = schema?.safeParse(request.input)
    if (!checked?.success)
      return problem('invalid_request', checked?.error.message ?? `Unknown: ${request.call}`)
    const handler = answers[request.call]
    if (handler === undefined) return problem('not_found', `The test has no answer for ${request.call}.`)
    const given = handler(request)
    return isAnswer(given) ? given : { status: 200, body: given }
  }

  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

export function problem(code: ErrorCode, detail: string, more: Partial<Problem> = {}): FakeAnswer {
  const { status, title } = ERRORS[code]
  return {
    status,
    body: { type: `https://carillon.dev/errors/${code}`, code, title, status, detail, ...more },
  }
}

export const page = (data: unknown[], next_cursor: string | null = null) => ({ data, next_cursor })

const isAnswer = (value: unknown): value is FakeAnswer =>
  typeof (value as FakeAnswer | undefined)?.status === 'number' && !('title' in (value as object))

function fits(call: string, method: string, path: RegExp): boolean {
  const [calledMethod, calledPath = ''] = call.split(' ')
  return calledMethod === method && path.test(calledPath)
}

async function read(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake')
  return {
    call: `${request.method} ${pathname}`,
    input:
      request.method === 'GET'
        ? Object.fromEntries(searchParams)
        : text === ''
          ? undefined
          : JSON.parse(text),
    authorization: request.headers.authorization,
  }
}
