import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../test/carillon.ts'
import { readingOf, statementsOf } from '../../test/full-database.ts'
import type { Pool } from '../db/pool.ts'
import {
  selectCompiled,
  selectExceptions,
  selectTemplate,
  selectTemplates,
  selectVersion,
  selectVersions,
} from './queries.ts'

const carillon = useCarillon()
const LARGE = ['notification_templates', 'template_versions']
const KEY = { name: 't7', channel: 'sms', locale: 'en' } as const
const ID = '01900000-0000-7000-8000-000000000000'
const tenant = () => carillon.tenantId
const page = { after: undefined, limit: 21 }
const list = (filter: object) => (db: Pool) => selectTemplates(db, tenant(), { ...page, ...filter })

beforeAll(async () => {
  await carillon.pool.query(
    `insert into notification_templates (id, tenant_id, name, channel, locale, body, is_active)
     select gen_random_uuid(), $1, 't' || i / 2, 'sms', (array['en', 'de'])[1 + i % 2], 'x', i % 1000 > 0
     from generate_series(0, 19999) i`,
    [tenant()],
  )
  await carillon.pool.query(
    `insert into template_versions (id, tenant_id, template_id, version, name, channel, locale, source, compiled, published_at)
     select gen_random_uuid(), t.tenant_id, t.id, v, t.name, t.channel, t.locale, '{}', '{}', now()
     from notification_templates t, generate_series(1, 3) v`,
  )
  await carillon.pool.query('analyze notification_templates, template_versions')
})

const CASES: [string, string, (db: Pool) => Promise<unknown>][] = [
  ['S002-33 a template', 'notification_templates_key', db => selectTemplate(db, tenant(), KEY)],
  ['S002-33 templates by name', 'notification_templates_key', list({ name: 't7' })],
  ['S002-33 templates of a type', 'notification_templates_(channel|key)', list({ channel: 'sms' })],
  ['the next page of templates', 'notification_templates_key', list({ after: ['t7', 'sms', 'en'] })],
  ['S002-33 inactive templates', 'notification_templates_inactive', db => selectExceptions(db, tenant())],
  ['versions that others replace', 'template_versions_replaced', db => selectExceptions(db, tenant())],
  ['the versions of a template', 'template_versions_key', db => selectVersions(db, tenant(), KEY, page)],
  ['one version', 'template_versions_key', db => selectVersion(db, tenant(), KEY, 2)],
  ['the versions of a batch', 'template_versions_pkey', db => selectCompiled(db, [ID])],
]

describe('with 20,000 templates and 60,000 versions', () => {
  it.each(CASES)('%s: uses %s and reads no table whole', async (_name, index, call) => {
    const [statement] = await statementsOf(call)
    const { rows } = await carillon.pool.query(`explain (format json) ${statement!.text}`, statement!.values)
    const { whole, indexes } = readingOf(rows[0]['QUERY PLAN'][0].Plan)
    expect(whole.filter(table => LARGE.includes(table))).toEqual([])
    expect(indexes).toContainEqual(expect.stringMatching(new RegExp(`^${index}$`)))
  })
})
