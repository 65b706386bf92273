/** /v1/kv */
import {
  KvCollection,
  KvCollectionName,
  KvEntry,
  KvEntryInput,
  KvEntryQuery,
  KvEntrySummary,
  KvKey,
  KvWriteHeaders,
  MAX_COUNTED_ENTRIES,
  PageOf,
  PageQuery,
} from '@carillon/contract'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { originOf } from '../../platform/calls/principal.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { cut } from '../../platform/text/cut.ts'
import { memberText } from '../../platform/text/json-spans.ts'
import { expectedVersion } from './expected-version.ts'
import {
  deleteEntry,
  type EntryKey,
  type EntryRow,
  getEntry,
  setEntry,
  toEntry,
  toSummary,
  type Written,
} from './kv.ts'
import { lockKeys, selectCollections, selectEntries } from './queries.ts'

const CollectionParams = z.object({ collection: KvCollectionName })
const EntryParams = z.object({ collection: KvCollectionName, key: KvKey })
const tags = ['kv']
/** The longest id in an audit log. */
const MAX_ID_LENGTH = 520

/** `onDue` is called after triggers have fired. */
export function kvRoutes(app: App, pool: Pool, onDue: () => void): void {
  app.get(
    '/v1/kv',
    {
      config: { scope: 'kv:read' },
      schema: {
        tags,
        summary: 'Collections that have entries, by name',
        querystring: PageQuery,
        response: { 200: PageOf(KvCollection) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const after = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const page = { after, limit: limit + 1, counted: MAX_COUNTED_ENTRIES }
      const rows = await selectCollections(pool, request.principal.tenant_id, page)
      return toPage(
        rows,
        limit,
        row => [row.collection],
        row => row,
      )
    },
  )
  app.get(
    '/v1/kv/:collection',
    {
      config: { scope: 'kv:read' },
      schema: {
        tags,
        summary: 'Entries of a collection without their values, by key',
        params: CollectionParams,
        querystring: KvEntryQuery,
        response: { 200: PageOf(KvEntrySummary) },
      },
    },
    async request => {
      const { limit, cursor, prefix = '' } = request.query
      const afterKey = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const page = { prefix, afterKey, limit: limit + 1 }
      const rows = await selectEntries(pool, request.principal.tenant_id, request.params.collection, page)
      return toPage(rows, limit, row => [row.key], toSummary)
    },
  )
  app.get(
    '/v1/kv/:collection/:key',
    {
      config: { scope: 'kv:read' },
      schema: {
        tags,
        summary: 'One entry; its version is also the ETag',
        params: EntryParams,
        response: { 200: KvEntry },
      },
    },
    async (request, reply) => {
      const { collection, key } = request.params
      const row = await getEntry(pool, request.principal.tenant_id, collection, key)
      if (row === undefined) throw noEntry(request.params)
      return sendEntry(reply, row)
    },
  )
  app.put(
    '/v1/kv/:collection/:key',
    {
      config: { scope: 'kv:write' },
      schema: {
        tags,
        summary: 'Create or replace an entry, perhaps only in a certain version; fires triggers',
        params: EntryParams,
        headers: KvWriteHeaders,
        body: KvEntryInput,
        response: { 200: KvEntry },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { ttl_seconds = null, version } = request.body
      const change = {
        ...request.params,
        value_json: memberText(request.rawBody, 'value'),
        ttl_seconds,
        expected: expectedVersion(request.headers, version),
      }
      const cause = { depth: 0, origin: originOf(request.principal) }
      const { entry, fired } = await audited(pool, request, changeOf(tenant_id, request.params), tx =>
        setEntry(tx, tenant_id, change, cause),
      )
      if (fired > 0) onDue()
      return sendEntry(reply, entry)
    },
  )
  app.delete(
    '/v1/kv/:collection/:key',
    {
      config: { scope: 'kv:write' },
      schema: {
        tags,
        summary: 'Delete an entry, perhaps only in a certain version; fires triggers',
        params: EntryParams,
        headers: KvWriteHeaders,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const deletion = { ...request.params, expected: expectedVersion(request.headers) }
      const cause = { depth: 0, origin: originOf(request.principal) }
      const subject = { ...auditSubject(request.params), action: 'delete' }
      const { fired } = await audited(pool, request, subject, async tx => {
        const deleted = await deleteEntry(tx, tenant_id, deletion, cause)
        if (deleted === undefined) throw noEntry(request.params)
        return deleted
      })
      if (fired > 0) onDue()
      return reply.status(204).send(null)
    },
  )
}

/** The value is sent as it was received: parsed and written again, a large number would come out as another one. */
function sendEntry(reply: FastifyReply, row: EntryRow): FastifyReply {
  const { value: _, ...others } = toEntry(row)
  const text = `${JSON.stringify(others).slice(0, -1)},"value":${row.value_json}}`
  return reply.header('etag', `"${row.version}"`).type('application/json; charset=utf-8').send(text)
}

const noEntry = ({ collection, key }: EntryKey) => notFound(`entry "${key}" in "${collection}"`)

function changeOf(tenantId: string, entry: EntryKey) {
  const before = async (tx: Client) => {
    // Scripts write without an audit row, so its lock is not enough.
    await lockKeys(tx, tenantId, [entry])
    const row = await getEntry(tx, tenantId, entry.collection, entry.key)
    return row && auditValues(row)
  }
  return { ...auditSubject(entry), before }
}

function auditSubject({ collection, key }: EntryKey) {
  const after = ({ entry }: Written) => auditValues(entry)
  return { type: 'kv_entry', id: cut(`${collection}/${key}`, MAX_ID_LENGTH), after }
}

/** Without the value: entries may be meant to expire, and the audit log keeps everything. */
function auditValues(row: EntryRow): object {
  const { version, bytes, expires_at } = toSummary(row)
  return { version, bytes, expires_at }
}
