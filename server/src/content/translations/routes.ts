/** /v1/translations */
import {
  Locale,
  Translations,
  TranslationsChanges,
  TranslationsInput,
  TranslationsSummary,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { canonicalLocale } from './locale.ts'
import { selectTranslationSummaries } from './queries.ts'
import {
  changeTranslations,
  findTranslations,
  noTranslation,
  putTranslations,
  removeTranslations,
} from './translations.ts'

const LocaleParams = z.object({ locale: Locale })
const tags = ['translations']
const type = 'translation'

export function translationRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/translations',
    {
      config: { scope: 'templates:read' },
      schema: {
        tags,
        summary: 'List languages',
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
      const translations = await findTranslations(pool, request.principal.tenant_id, locale)
      if (translations === undefined) throw noTranslation(locale)
      return translations
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
      const id = canonicalLocale(request.params.locale)
      return audited(pool, request, changeOf(tenant_id, id), tx =>
        putTranslations(tx, tenant_id, id, request.body.messages),
      )
    },
  )
  app.patch(
    '/v1/translations/:locale',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Change the given messages of a language',
        params: LocaleParams,
        body: TranslationsChanges,
        response: { 200: Translations },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const id = canonicalLocale(request.params.locale)
      return audited(pool, request, changeOf(tenant_id, id), tx =>
        changeTranslations(tx, tenant_id, id, request.body.messages ?? {}),
      )
    },
  )
  app.delete(
    '/v1/translations/:locale',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Delete all messages of a language',
        params: LocaleParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const id = canonicalLocale(request.params.locale)
      await audited(pool, request, { type, id, action: 'delete', after: perMessage }, tx =>
        removeTranslations(tx, request.principal.tenant_id, id),
      )
      return reply.status(204).send(null)
    },
  )
}

function changeOf(tenantId: string, id: string) {
  const before = async (tx: Client) => {
    const found = await findTranslations(tx, tenantId, id)
    return found && perMessage(found)
  }
  return { type, id, before, after: perMessage }
}

/**
 * One audited value per message, so that a change shows only the messages that changed, out of thousands. In brackets,
 * because the text under `login.password` is not a password, and must not be hidden as one.
 */
function perMessage({ messages, ...rest }: Translations): object {
  const values = Object.entries(messages).map(([key, text]) => [`messages[${JSON.stringify(key)}]`, text])
  return { ...rest, ...Object.fromEntries(values) }
}
