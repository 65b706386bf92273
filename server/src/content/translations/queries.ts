/** The SQL of translations. */
import type { Executor } from '../../platform/database/pool.ts'

export interface TranslationsRow {
  locale: string
  messages: Record<string, string>
  updated_at: Date
}

export async function upsertTranslations(
  db: Executor,
  tenantId: string,
  locale: string,
  messages: Record<string, string>,
): Promise<TranslationsRow> {
  const { rows } = await db.query<TranslationsRow>(
    `insert into translations as t (tenant_id, locale, messages) values ($1, $2, $3)
     on conflict (tenant_id, locale) do update set messages = excluded.messages,
       -- two changes in one millisecond must not look the same to a cache
       updated_at = greatest(now(), t.updated_at + interval '1 millisecond')
     returning locale, messages, updated_at`,
    [tenantId, locale, JSON.stringify(messages)],
  )
  return rows[0]!
}

export async function selectTranslations(
  db: Executor,
  tenantId: string,
  locales: string[],
): Promise<TranslationsRow[]> {
  const { rows } = await db.query<TranslationsRow>(
    'select locale, messages, updated_at from translations where tenant_id = $1 and locale = any ($2::text[])',
    [tenantId, locales],
  )
  return rows
}

export type TranslationTime = Pick<TranslationsRow, 'locale' | 'updated_at'> & {
  /** The tenant's. */
  fallback_locale: string
}

/** Without the messages, as they may be large. */
export async function selectTranslationTimes(db: Executor, tenantId: string): Promise<TranslationTime[]> {
  const { rows } = await db.query<TranslationTime>(
    `select l.locale, l.updated_at, s.fallback_locale from translations l
     join tenant_settings s on s.tenant_id = l.tenant_id
     where l.tenant_id = $1 order by l.locale`,
    [tenantId],
  )
  return rows
}

export async function selectTranslationSummaries(
  db: Executor,
  tenantId: string,
): Promise<{ locale: string; keys: number; updated_at: Date }[]> {
  const { rows } = await db.query<{ locale: string; keys: number; updated_at: Date }>(
    `select locale, (select count(*)::integer from jsonb_object_keys(messages)) as keys, updated_at
     from translations where tenant_id = $1 order by locale`,
    [tenantId],
  )
  return rows
}

/** Only the messages whose keys begin so: all of them may be large. */
export async function selectMessagesUnder(
  db: Executor,
  tenantId: string,
  prefix: string,
): Promise<{ locale: string; messages: Record<string, string> }[]> {
  const { rows } = await db.query<{ locale: string; messages: Record<string, string> }>(
    `select t.locale, jsonb_object_agg(m.key, m.value) as messages
     from translations t cross join lateral jsonb_each(t.messages) m
     where t.tenant_id = $1 and starts_with(m.key, $2) group by t.locale`,
    [tenantId, prefix],
  )
  return rows
}

export async function deleteTranslations(
  db: Executor,
  tenantId: string,
  locale: string,
): Promise<TranslationsRow | undefined> {
  const { rows } = await db.query<TranslationsRow>(
    'delete from translations where tenant_id = $1 and locale = $2 returning locale, messages, updated_at',
    [tenantId, locale],
  )
  return rows[0]
}
