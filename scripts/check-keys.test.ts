import { describe, expect, it } from 'vitest'
import { checkKeys } from './check-keys.mjs'

const table = (name: string, ...lines: string[]) =>
  `create table carillon.${name} (\n${lines.join(',\n')}\n);\n`
const TENANT = '  tenant_id uuid not null'
const PRIMARY = (columns: string) => `  constraint x_pkey PRIMARY KEY (${columns})`
const rules = (schema: string, instance = {}, found = {}) =>
  checkKeys(schema, instance, found).map(({ rule }: { rule: string }) => rule)

describe('every key', () => {
  it('starts with the tenant, constraints and unique indexes alike', { tags: 'S002-29' }, () => {
    const unique = 'CREATE UNIQUE INDEX other ON carillon.moods USING btree (mood, tenant_id);\n'
    expect(rules(table('moods', TENANT, PRIMARY('tenant_id, id')))).toEqual([])
    expect(rules(table('moods', TENANT, PRIMARY('id')))).toEqual([
      'x_pkey of moods does not start with tenant_id',
    ])
    expect(rules(table('moods', TENANT, PRIMARY('tenant_id, id')) + unique)).toEqual([
      'other of moods does not start with tenant_id',
    ])
    expect(rules(table('moods', TENANT, '  constraint u UNIQUE NULLS NOT DISTINCT (mood)'))).toEqual([
      'u of moods does not start with tenant_id',
    ])
  })

  it('of another table is referred to with the tenant, unless that table is of the instance', {
    tags: 'S002-29',
  }, () => {
    const refers = (columns: string, to: string) =>
      table(
        'moods',
        TENANT,
        PRIMARY('tenant_id, id'),
        `  constraint f FOREIGN KEY (${columns}) REFERENCES ${to}`,
      )
    const clocks = table('clocks', '  id uuid not null', PRIMARY('id'))
    expect(rules(refers('tenant_id, user_id', 'users(tenant_id, id)'))).toEqual([])
    expect(rules(refers('user_id', 'users(id)'))).toEqual(['f of moods does not start with tenant_id'])
    expect(rules(refers('clock_id', 'clocks(id)') + clocks, { clocks: 'why' })).toEqual([])
  })

  it('is missing nowhere, and neither is the tenant', () => {
    expect(rules(table('moods', TENANT))).toEqual(['moods has no key'])
    const without = ['moods has no tenant_id that is never null']
    expect(rules(table('moods', '  id uuid', PRIMARY('tenant_id, id')))).toEqual(without)
    expect(rules(table('moods', '  tenant_id uuid', PRIMARY('tenant_id, id')))).toEqual(without)
  })

  it('may be another one where that is written down, and only as long as it is needed', () => {
    const byId = table('moods', TENANT, PRIMARY('id'))
    expect(rules(byId, { moods: 'why' })).toEqual([])
    expect(rules(byId, {}, { x_pkey: 'why' })).toHaveLength(1)
    const byHash = table(
      'moods',
      TENANT,
      PRIMARY('tenant_id, id'),
      '  constraint moods_hash_key UNIQUE (hash)',
    )
    expect(rules(byHash, {}, { moods_hash_key: 'why' })).toEqual([])
    expect(rules(byHash, {}, { moods_mood_key: 'why' })).toEqual([
      'moods_hash_key of moods does not start with tenant_id',
      'the exception for moods_mood_key is not needed any more',
    ])
    expect(rules(table('moods', TENANT, PRIMARY('tenant_id, id')), { moods: 'why' })).toEqual([
      'the exception for moods is not needed any more',
    ])
  })
})
