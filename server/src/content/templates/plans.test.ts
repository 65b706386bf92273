import { beforeAll, describe } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fill, ROWS } from '../../../test/full-database.ts'
import { itUsesIndexes, type PlanCase } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import {
  selectCompiled,
  selectInactiveAndReplaced,
  selectTemplate,
  selectTemplates,
  selectVersion,
  selectVersions,
} from './queries.ts'

const carillon = useCarillon()
const KEY = { name: 't7', channel: 'sms', locale: 'en' } as const
const ID = '01900000-0000-7000-8000-000000000000'
const tenant = () => carillon.tenantId
const page = { after: undefined, limit: 21 }
const list = (filter: object) => (db: Pool) => selectTemplates(db, tenant(), { ...page, ...filter })

/** Each template has two languages, and few of them are for the inbox. */
beforeAll(() =>
  fill(carillon.pool, tenant(), [
    `insert into notification_templates (id, tenant_id, name, channel, locale, title, body, is_active)
     select gen_random_uuid(), $tenant, 't' || n / 2, case n / 2 % 500 when 0 then 'in_app' else 'sms' end,
       (array['en', 'de'])[1 + n % 2], case n / 2 % 500 when 0 then 'x' end, 'x', n % 1000 > 0
     from generate_series(0, $rows - 1) n`,
    `insert into template_versions (id, tenant_id, template_id, version, name, channel, locale, source, compiled, published_at)
     select gen_random_uuid(), t.tenant_id, t.id, v, t.name, t.channel, t.locale, '{}', '{}', now()
     from notification_templates t, generate_series(1, 2) v`,
  ]),
)

const CASES: PlanCase[] = [
  ['one template', 'notification_templates_key', db => selectTemplate(db, tenant(), KEY), ['S002-33']],
  ['templates by name', 'notification_templates_key', list({ name: 't7' }), ['S002-33']],
  ['templates of a type', 'notification_templates_channel', list({ channel: 'in_app' }), ['S002-33']],
  [
    'templates of the usual type',
    'notification_templates_(channel|key)',
    list({ channel: 'sms' }),
    ['S002-33'],
  ],
  ['the next page of templates', 'notification_templates_key', list({ after: ['t7', 'sms', 'en'] })],
  [
    'inactive templates',
    'notification_templates_inactive',
    db => selectInactiveAndReplaced(db, tenant()),
    ['S002-33'],
  ],
  [
    'template versions that others replace',
    'template_versions_replaced',
    db => selectInactiveAndReplaced(db, tenant()),
  ],
  ['the versions of a template', 'template_versions_key', db => selectVersions(db, tenant(), KEY, page)],
  ['one version of a template', 'template_versions_key', db => selectVersion(db, tenant(), KEY, 2)],
  [
    'the template versions of a batch',
    'template_versions_pkey',
    db => selectCompiled(db, [{ tenant_id: tenant(), id: ID }]),
  ],
]

describe(`with ${ROWS} templates of two versions`, () => {
  itUsesIndexes(carillon, CASES)
})
