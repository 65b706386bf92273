/** /v1/categories */
import { Category, CategoryChanges, CategoryInput, CategoryKey } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { parseOrRefuse } from '../../platform/calls/parse-or-refuse.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import {
  type CategoryRow,
  deleteCategory,
  selectCategories,
  selectCategory,
  upsertCategory,
} from './queries.ts'

const CategoryParams = z.object({ category: CategoryKey })

export function categoryRoutes(app: App, pool: Pool): void {
  app.put(
    '/v1/categories/:category',
    {
      config: { scope: 'types:write' },
      schema: {
        tags: ['categories'],
        summary: 'Create or replace a category',
        params: CategoryParams,
        body: CategoryInput,
        response: { 200: Category },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { category } = request.params
      return audited(pool, request, changeOf(tenant_id, category), async tx =>
        toCategory(await upsertCategory(tx, tenant_id, category, request.body)),
      )
    },
  )
  app.patch(
    '/v1/categories/:category',
    {
      config: { scope: 'types:write' },
      schema: {
        tags: ['categories'],
        summary: 'Change the given fields of a category',
        params: CategoryParams,
        body: CategoryChanges,
        response: { 200: Category },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { category } = request.params
      return audited(pool, request, changeOf(tenant_id, category), async tx => {
        const row = await selectCategory(tx, tenant_id, category)
        if (row === undefined) throw missing(category)
        const { category: _, created_at: __, updated_at: ___, ...settings } = row
        const changed = parseOrRefuse(CategoryInput, { ...settings, ...request.body })
        return toCategory(await upsertCategory(tx, tenant_id, category, changed))
      })
    },
  )
  app.get(
    '/v1/categories/:category',
    {
      config: { scope: 'types:read' },
      schema: {
        tags: ['categories'],
        summary: 'One category',
        params: CategoryParams,
        response: { 200: Category },
      },
    },
    async request => {
      const { category } = request.params
      const row = await selectCategory(pool, request.principal.tenant_id, category)
      if (row === undefined) throw missing(category)
      return toCategory(row)
    },
  )
  app.get(
    '/v1/categories',
    {
      config: { scope: 'types:read' },
      schema: {
        tags: ['categories'],
        summary: 'All categories, in the order in which people see them',
        response: { 200: z.object({ data: z.array(Category) }) },
      },
    },
    async request => ({
      data: (await selectCategories(pool, request.principal.tenant_id)).map(toCategory),
    }),
  )
  app.delete(
    '/v1/categories/:category',
    {
      config: { scope: 'types:write' },
      schema: {
        tags: ['categories'],
        summary: 'Remove a category; types and preferences that name it stay as they are',
        params: CategoryParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { category } = request.params
      const subject = { type: 'category', id: category, action: 'delete' }
      await audited(pool, request, subject, async tx => {
        const row = await deleteCategory(tx, request.principal.tenant_id, category)
        if (row === undefined) throw missing(category)
        return toCategory(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function changeOf(tenantId: string, category: string) {
  const before = async (tx: Client) => {
    const row = await selectCategory(tx, tenantId, category)
    return row && toCategory(row)
  }
  return { type: 'category', id: category, before }
}

const missing = (category: string) => notFound(`category "${category}"`)

function toCategory(row: CategoryRow): Category {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}
