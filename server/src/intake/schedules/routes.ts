/** /v1/schedules */
import {
  NewSchedule,
  PageOf,
  PageQuery,
  Schedule,
  ScheduleChanges,
  SchedulePreview,
  SchedulePreviewQuery,
  ScheduleRunsQuery,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { defaultProducer, mayProduceAs, type Principal } from '../../platform/calls/principal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { memberText } from '../../platform/text/json-spans.ts'
import { foreignProducer } from '../intents/intent.ts'
import { checkCron, localTime, nextRuns } from './next-runs.ts'
import { deleteSchedule, selectNow, selectSchedules } from './queries.ts'
import { changeSchedule, createSchedule, getSchedule, toSchedule } from './schedules.ts'

const ScheduleParams = z.object({ id: z.uuid() })
const tags = ['schedules']

export function scheduleRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/schedules',
    {
      config: { scope: 'schedules:read' },
      schema: {
        tags,
        summary: 'Schedules, newest first',
        querystring: PageQuery,
        response: { 200: PageOf(Schedule) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const after = decodeCursor(cursor, ['uuid'])
      const rows = await selectSchedules(pool, request.principal.tenant_id, { after, limit: limit + 1 })
      return toPage(rows, limit, row => [row.id], toSchedule)
    },
  )
  app.post(
    '/v1/schedules',
    {
      config: { scope: 'schedules:write' },
      schema: {
        tags,
        summary: 'Send an intent repeatedly',
        body: NewSchedule,
        response: { 201: Schedule },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const owner = { tenant_id, producer: defaultProducer(request.principal) }
      refuseForeign(request.principal, request.body.intent.producer)
      const intentText = memberText(request.rawBody, 'intent')
      const schedule = await audited(pool, request, { type: 'schedule' }, tx =>
        createSchedule(tx, owner, request.body, intentText),
      )
      return reply.status(201).send(schedule)
    },
  )
  app.get(
    '/v1/schedules/preview',
    {
      config: { scope: 'schedules:read' },
      schema: {
        tags,
        summary: 'When a cron expression would run',
        querystring: SchedulePreviewQuery,
        response: { 200: SchedulePreview },
      },
    },
    async request => {
      const { cron, timezone, count } = request.query
      return preview(cron, timezone, count)
    },
  )
  app.get(
    '/v1/schedules/:id',
    {
      config: { scope: 'schedules:read' },
      schema: { tags, summary: 'One schedule', params: ScheduleParams, response: { 200: Schedule } },
    },
    async request => getSchedule(pool, request.principal.tenant_id, request.params.id),
  )
  app.get(
    '/v1/schedules/:id/preview',
    {
      config: { scope: 'schedules:read' },
      schema: {
        tags,
        summary: 'When a schedule runs next, if it is active',
        params: ScheduleParams,
        querystring: ScheduleRunsQuery,
        response: { 200: SchedulePreview },
      },
    },
    async request => {
      const { cron, timezone } = await getSchedule(pool, request.principal.tenant_id, request.params.id)
      return preview(cron, timezone, request.query.count)
    },
  )
  app.patch(
    '/v1/schedules/:id',
    {
      config: { scope: 'schedules:write' },
      schema: {
        tags,
        summary: 'Change a schedule, or switch it off or on',
        params: ScheduleParams,
        body: ScheduleChanges,
        response: { 200: Schedule },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const mayProduce = (producer: string) => mayProduceAs(request.principal, producer)
      const intentText = request.body.intent === undefined ? undefined : memberText(request.rawBody, 'intent')
      const { id } = request.params
      const before = (tx: Client) => getSchedule(tx, tenant_id, id)
      return audited(pool, request, { type: 'schedule', id, before }, tx =>
        changeSchedule(tx, tenant_id, id, request.body, intentText, mayProduce),
      )
    },
  )
  app.delete(
    '/v1/schedules/:id',
    {
      config: { scope: 'schedules:write' },
      schema: {
        tags,
        summary: 'Remove a schedule; what it sent stays',
        params: ScheduleParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { id } = request.params
      await audited(pool, request, { type: 'schedule', id, action: 'delete' }, async tx => {
        const schedule = await getSchedule(tx, tenant_id, id)
        await deleteSchedule(tx, tenant_id, id)
        return schedule
      })
      return reply.status(204).send(null)
    },
  )

  async function preview(cron: string, timezone: string, count: number): Promise<SchedulePreview> {
    const now = await selectNow(pool)
    checkCron(cron, timezone, now)
    const runs = nextRuns(cron, timezone, now, count)
    return { runs: runs.map(at => ({ at: at.toISOString(), local: localTime(at, timezone) })) }
  }
}

function refuseForeign(principal: Principal, producer: string | undefined): void {
  if (producer !== undefined && !mayProduceAs(principal, producer))
    throw foreignProducer('intent.producer', producer)
}
