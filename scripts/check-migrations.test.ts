import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkMigrations } from './check-migrations.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon-migrations-'))
  mkdirSync(join(root, 'server/migrations'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const OUTSIDE = '-- Outside a transaction: the table is large\n'
function rulesFor(up: string): string[] {
  const text = `-- Up Migration\n${up}\n-- Down Migration\ndrop index x; alter table routes add check (true);\n`
  writeFileSync(join(root, 'server/migrations/0002_x.sql'), text)
  return checkMigrations(root).map(({ line, rule }: { line: number; rule: string }) => `${line} ${rule}`)
}

describe('a migration that changes a large table', () => {
  it.each([
    ['create index x on routes (tenant_id);', /an index on routes is built concurrently/],
    ['create unique index if not exists x on carillon.routes (tenant_id);', /an index on routes/],
    ['create index concurrently x on routes (tenant_id);', /needs a migration with a line/],
    ['alter table routes add constraint c check (a > 0);', /"not valid"/],
    ['alter table routes add foreign key (a) references users (id);', /"not valid"/],
    ["alter table routes add column a text, add check (a <> '');", /"not valid"/],
    ['alter table routes add column a integer check (a > 0);', /as one of its own/],
    ['alter table routes add column a uuid references users (id);', /as one of its own/],
    ['alter table routes add unique (tenant_id, a);', /"using index"/],
    ['alter table routes add column a uuid not null default gen_random_uuid();', /differs by row/],
    ['alter table routes add column a integer generated always as (b + 1) stored;', /generated column/],
    ['alter table routes alter column a type text;', /another type/],
    ['alter table routes alter a set not null;', /not null/],
    ['update routes set a = 1;', /in batches/],
    ['vacuum full routes;', /rewrites/],
    [`${OUTSIDE}create index concurrently x on routes (a);`, /only what can be repeated/],
    [`${OUTSIDE}alter table routes add column a text;`, /only what can be repeated/],
  ])('may not: %s', { tags: 'S002-28' }, (up, rule) => {
    expect(rulesFor(up)).toEqual([expect.stringMatching(rule)])
  })

  it.each([
    'alter table routes add column a text, add column b integer not null default 0;',
    'alter table routes add constraint c check (a in (1, 2)) not valid;',
    'alter table routes add constraint c unique using index x;',
    'alter table routes drop constraint c, set (fillfactor = 50);',
    "alter table tenants add column a text check (a <> ''); create index x on tenants (name);",
    "create table moods (a text check (a <> '')); create index x on moods (a); update moods set a = 'x';",
    `${OUTSIDE}create index concurrently if not exists x on routes (a);\nalter table routes validate constraint c;`,
    `${OUTSIDE}drop index concurrently if exists x;`,
    'create index x on records_archive (tenant_id, a);',
    'do $$ begin perform 1; end $$;',
  ])('may: %s', { tags: 'S002-28' }, up => {
    expect(rulesFor(up)).toEqual([])
  })

  it('is named by its line', { tags: 'S002-28' }, () => {
    expect(rulesFor('-- why\nselect 1;\n\ncreate index x on routes (a);')).toEqual([
      expect.stringMatching(/^5 an index/),
    ])
  })
})
