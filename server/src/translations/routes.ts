/** /v1/translations */
import { Locale, Translations, TranslationsInput, TranslationsSummary } from '@carillon/contract'
import { z } from 'zod'
import type { Pool } from '../db/pool.ts'
import type { App } from '../http/server.ts'
import { notFound } from '../refusal.ts'
import { canonicalLocale } from './locale.ts'
import {
  deleteTranslations,
  selectTranslationSummaries,
  selectTranslations,
  type TranslationsRow,
} from './queries.ts'
import { putTranslations } from './translations.ts'

const LocaleParams = z.object({ locale: Locale })
const tags = ['translations']

export function translationRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/translations',
    {
      config: { scope: 'templates:read' },
      schema: {
        tags,
        summary: 'The languages there are',
        response: { 200: z.object({ data: z.array(TranslationsSummary) }) },
      },
    },
    async request => {
      const rows = await selectTranslationSummaries(pool, request.principal.tenant_id)
      return { data: rows.map(row => ({ ...row, updated_at: row.updated_at.toISOString() })) }
    },
  )
  app.get(
    '/v1/translations/:locale',
    {
      config: { scope: 'templates:read' },
      schema: {
        tags,
        summary: 'All messages of a language',
        params: LocaleParams,
        response: { 200: Translations },
      },
    },
    async request => {
      const locale = canonicalLocale(request.params.locale)
      const [row] = await selectTranslations(pool, request.principal.tenant_id, [locale])
      if (row === undefined) throw notFound(`translation into ${locale}`)
      return toTranslations(row)
    },
  )
  app.put(
    '/v1/translations/:locale',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Replace all messages of a language',
        params: LocaleParams,
        body: TranslationsInput,
        response: { 200: Translations },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      return toTranslations(
        await putTranslations(pool, tenant_id, request.params.locale, request.body.messages),
      )
    },
  )
  app.delete(
    '/v1/translations/:locale',
    {
      config: { scope: 'templates:write' },
      schema: { tags, summary: 'Forget a language', params: LocaleParams, response: { 204: z.null() } },
    },
    async (request, reply) => {
      const locale = canonicalLocale(request.params.locale)
      if (!(await deleteTranslations(pool, request.principal.tenant_id, locale)))
        throw notFound(`translation into ${locale}`)
      return reply.status(204).send(null)
    },
  )
}

function toTranslations(row: TranslationsRow): Translations {
  return { ...row, updated_at: row.updated_at.toISOString() }
}
