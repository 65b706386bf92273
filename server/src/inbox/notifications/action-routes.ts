/** What a person does with the rows of an inbox, one by one or several at once. */
import {
  AnswerInput,
  BulkActionInput,
  BulkActionResult,
  InboxActionInput,
  type InboxActionName,
  InboxItem,
  InboxOwnerQuery,
  ReadAllInput,
  ReadAllResult,
  SnoozeInput,
} from '@carillon/contract'
import { z } from 'zod'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { answer } from './answers.ts'
import { readFilter } from './filter.ts'
import { countUnread, noItem, readState } from './inbox.ts'
import { toItem } from './item.ts'
import { type InboxOwner, inboxOwner } from './owner.ts'
import { selectItems } from './queries.ts'
import { readAll } from './read-all.ts'
import { ItemParams } from './routes.ts'
import { type ChangeOptions, changeState, type StateChange } from './states.ts'
import { refuseWrongVersion } from './version.ts'

export interface InboxParts {
  pool: Pool
  /** Inboxes of these people have changed; null: those of the whole tenant. */
  onInbox?: ((tenantId: string, userIds: string[] | null) => void) | undefined
  /** An event was emitted. */
  onDue?: () => void
}

export const UNAUDITED = 'What people do in their own inbox is kept in its rows; the log is about the tenant.'

const SUMMARIES: Record<Exclude<InboxActionName, 'hide'>, string> = {
  read: 'Mark a notification as read',
  unread: 'Mark a notification as unread',
  done: 'Put a notification away; the next event of its thread brings it back',
  undone: 'Bring a notification back that was put away',
  save: 'Keep a notification for as long as the person wants',
  unsave: 'No longer keep a notification',
  unsnooze: 'Show a snoozed notification again',
}

export function inboxActionRoutes(app: App, parts: InboxParts): void {
  for (const [action, summary] of Object.entries(SUMMARIES)) {
    app.post(
      `/v1/inbox/:id/${action}`,
      {
        config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED, whenFull: true },
        schema: {
          tags: ['inbox'],
          summary,
          params: ItemParams,
          querystring: InboxOwnerQuery,
          body: InboxActionInput,
          response: { 200: InboxItem },
        },
      },
      async request => {
        const { seen_version: seenVersion } = request.body
        return changeItem(parts, inboxOwner(request), request.params.id, action as StateChange, {
          seenVersion,
        })
      },
    )
  }
  app.post(
    '/v1/inbox/:id/snooze',
    {
      config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED, whenFull: true },
      schema: {
        tags: ['inbox'],
        summary: 'Put a notification out of sight until a time, or until somebody mentions the person',
        params: ItemParams,
        querystring: InboxOwnerQuery,
        body: SnoozeInput,
        response: { 200: InboxItem },
      },
    },
    async request => {
      const { until, seen_version: seenVersion } = request.body
      refusePastSnooze(until)
      return changeItem(parts, inboxOwner(request), request.params.id, 'snooze', { until, seenVersion })
    },
  )
  app.post(
    '/v1/inbox/:id/hide',
    {
      config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED, whenFull: true },
      schema: {
        tags: ['inbox'],
        summary: 'Take a notification out of the inbox for good',
        params: ItemParams,
        querystring: InboxOwnerQuery,
        body: InboxActionInput,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const owner = inboxOwner(request)
      const { seen_version: seenVersion } = request.body
      await changeItem(parts, owner, request.params.id, 'hide', { seenVersion })
      return reply.status(204).send(null)
    },
  )
  app.post(
    '/v1/inbox/:id/answer',
    {
      config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED },
      schema: {
        tags: ['inbox'],
        summary: 'Press a button of a notification; its event is emitted once',
        params: ItemParams,
        querystring: InboxOwnerQuery,
        body: AnswerInput,
        response: { 200: InboxItem },
      },
    },
    async request => {
      const owner = inboxOwner(request)
      const answered = await answer(parts.pool, owner, request.params.id, request.body.action)
      parts.onInbox?.(owner.tenantId, [owner.userId])
      parts.onDue?.()
      return answered
    },
  )
  app.post(
    '/v1/inbox/read-all',
    {
      config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED, whenFull: true },
      schema: {
        tags: ['inbox'],
        summary: 'Mark everything as read that the person has seen',
        querystring: InboxOwnerQuery,
        body: ReadAllInput,
        response: { 200: ReadAllResult },
      },
    },
    async request => {
      const owner = inboxOwner(request)
      const { q, seen_version: seenVersion } = request.body
      const terms = readFilter('q', q)
      refuseWrongVersion('seen_version', seenVersion)
      const state = await readState(parts.pool, owner)
      const read = await readAll(parts.pool, owner, terms, seenVersion ?? state.version)
      parts.onInbox?.(owner.tenantId, [owner.userId])
      const { unread, version } = await countUnread(parts.pool, owner)
      return { read, unread, version }
    },
  )
  app.post(
    '/v1/inbox/actions',
    {
      config: { scope: 'inbox:write', person: true, unaudited: UNAUDITED, whenFull: true },
      schema: {
        tags: ['inbox'],
        summary: 'Do the same with up to 100 notifications',
        querystring: InboxOwnerQuery,
        body: BulkActionInput,
        response: { 200: BulkActionResult },
      },
    },
    async request => {
      const owner = inboxOwner(request)
      const { action, ids, seen_version: seenVersion } = request.body
      const until = request.body.action === 'snooze' ? request.body.until : undefined
      if (until !== undefined) refusePastSnooze(until)
      refuseWrongVersion('seen_version', seenVersion)
      await readState(parts.pool, owner)
      const unique = [...new Set(ids)]
      const rows = await selectItems(parts.pool, owner, unique)
      for (const row of rows) await changeState(parts.pool, owner, row, action, { seenVersion, until })
      const changed = await selectItems(parts.pool, owner, unique)
      parts.onInbox?.(owner.tenantId, [owner.userId])
      const known = new Set(rows.map(({ id }) => id))
      const { unread, version } = await countUnread(parts.pool, owner)
      return {
        unread,
        version,
        changed: changed.map(toItem),
        missing: unique.filter(id => !known.has(id)),
      }
    },
  )
}

/** As it is afterwards; a hidden one as it was. */
async function changeItem(
  { pool, onInbox }: InboxParts,
  owner: InboxOwner,
  id: string,
  change: StateChange,
  options: ChangeOptions,
): Promise<InboxItem> {
  refuseWrongVersion('seen_version', options.seenVersion)
  const [before] = await selectItems(pool, owner, [id])
  if (before === undefined) throw noItem()
  await changeState(pool, owner, before, change, options)
  const [after] = await selectItems(pool, owner, [id])
  onInbox?.(owner.tenantId, [owner.userId])
  return toItem(after ?? before)
}

const LONGEST_SNOOZE_DAYS = 366

function refusePastSnooze(until: string): void {
  const ms = Date.parse(until) - Date.now()
  if (ms > 0 && ms < LONGEST_SNOOZE_DAYS * 86_400_000) return
  throw new Refusal('invalid_timestamp', 'until: expected a time within the next year.', [
    { field: 'until', message: 'Expected a time within the next year.' },
  ])
}
