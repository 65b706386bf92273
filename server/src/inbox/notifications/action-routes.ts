/** What a person does with the rows of an inbox, one by one or several at once. */
import {
  BulkActionInput,
  BulkActionResult,
  InboxActionInput,
  type InboxActionName,
  InboxItem,
  InboxOwnerQuery,
  SnoozeInput,
} from '@carillon/contract'
import { z } from 'zod'
import { Refusal } from '../../platform/calls/refusal.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { countUnread, noItem, readState } from './inbox.ts'
import { toItem } from './item.ts'
import { type InboxOwner, inboxOwner } from './owner.ts'
import { selectItems } from './queries.ts'
import { ItemParams } from './routes.ts'
import { type ChangeOptions, changeStates, type StateChange } from './states.ts'
import { refuseWrongVersion } from './version.ts'

export interface InboxParts {
  pool: Pool
  /** Inboxes of these people have changed; null: those of the whole tenant. */
  onInbox?: ((tenantId: string, userIds: string[] | null) => void) | undefined
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
      const changed = await transaction(parts.pool, async tx => {
        const before = await selectItems(tx, owner, unique)
        await changeStates(tx, owner, unique, action, { seenVersion, until })
        return { before, after: await selectItems(tx, owner, unique) }
      })
      parts.onInbox?.(owner.tenantId, [owner.userId])
      const known = new Set(changed.before.map(({ id }) => id))
      const { unread, version } = await countUnread(parts.pool, owner)
      return {
        unread,
        version,
        changed: changed.after.map(toItem),
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
  const row = await transaction(pool, async tx => {
    const [before] = await selectItems(tx, owner, [id])
    if (before === undefined) throw noItem(id)
    await changeStates(tx, owner, [id], change, options)
    return (await selectItems(tx, owner, [id]))[0] ?? before
  })
  onInbox?.(owner.tenantId, [owner.userId])
  return toItem(row)
}

const LONGEST_SNOOZE_DAYS = 366

function refusePastSnooze(until: string): void {
  const ms = Date.parse(until) - Date.now()
  if (ms > 0 && ms < LONGEST_SNOOZE_DAYS * 86_400_000) return
  throw new Refusal('invalid_timestamp', 'until: expected a time within the next year.', [
    { field: 'until', message: 'Expected a time within the next year.' },
  ])
}
