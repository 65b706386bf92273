import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createClient } from '../../platform/database/pool.ts'
import { createKeyring } from '../../platform/secrets/keyring.ts'
import { importTenant } from './import-tenant.ts'
import { createInstance, useMoving } from './moving.fixture.ts'
import { readTables } from './tables.ts'

const { source, targetKey, file, passphrase, exportTo, importFrom, runAt } = useMoving()

beforeAll(async () => {
  await exportTo('all.ndjson.gz', ...passphrase())
  await exportTo('open.ndjson', '--without-secrets')
})

describe('a file that cannot be read', () => {
  const refusals: [string, (lines: string[]) => string, RegExp][] = [
    ['cut off in a row', lines => lines.join('\n').slice(0, -300), /not whole/],
    ['cut off after a row', lines => lines.slice(0, 20).join('\n'), /its last line is missing/],
    [
      'changed',
      lines => lines.join('\n').replace('resident-3', 'resident-9'),
      /its sum is not that of its last line/,
    ],
    [
      'with something after its end',
      lines => [...lines, lines[1]].join('\n'),
      /something follows its last line/,
    ],
    [
      'of a newer release',
      lines => lines.join('\n').replace(/"release":\d+/, '"release":99999'),
      /newer Carillon \(release 99999\)/,
    ],
    [
      'of a newer form',
      lines => lines.join('\n').replace('"carillon_export":1', '"carillon_export":2'),
      /newer Carillon, in a form/,
    ],
    ['of something else', () => '{"a": 1}\n', /not a file of carillon export/],
    ['empty', () => '', /is empty/],
  ]
  it.each(refusals)('%s', async (name, spoil, message) => {
    const lines = readFileSync(file('open.ndjson'), 'utf8').trimEnd().split('\n')
    writeFileSync(file(`${name}.ndjson`), spoil(lines))
    const { code, stderr } = await importFrom(`${name}.ndjson`)
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })

  it('cut off while packed, or with another passphrase', async () => {
    writeFileSync(file('cut.ndjson.gz'), readFileSync(file('all.ndjson.gz')).subarray(0, 5000))
    expect((await importFrom('cut.ndjson.gz', ...passphrase())).stderr).toContain('does not unpack')
    writeFileSync(file('junk.ndjson.gz'), gzipSync('junk'))
    expect((await importFrom('junk.ndjson.gz')).stderr).toContain('not a file of carillon export')
    writeFileSync(file('wrong'), 'another passphrase')
    expect((await importFrom('all.ndjson.gz', '--passphrase-file', file('wrong'))).stderr).toContain(
      'The passphrase is not the one',
    )
    expect((await importFrom('all.ndjson.gz')).stderr).toContain('give --passphrase-file')
  })
})

describe('a file that somebody wrote', () => {
  type Line = { table: string; row: Record<string, unknown> }
  // biome-ignore lint/suspicious/noExplicitAny: edits change whatever they like
  type Edit = (header: any, lines: Line[], other: Record<string, string>) => void

  /** With a sum that fits. */
  function forge(edit: Edit, other: Record<string, string>): string {
    const [first, ...lines] = readFileSync(file('open.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line))
    edit(first, lines, other)
    const text = [first, ...lines].map(line => `${JSON.stringify(line)}\n`).join('')
    const sha256 = createHash('sha256').update(text).digest('hex')
    return `${text}${JSON.stringify({ end: true, rows: lines.length, sha256 })}\n`
  }
  const rowOf = (lines: Line[], table: string) => lines.find(line => line.table === table)!.row

  const refused: [string, Edit, RegExp][] = [
    [
      'a key that is limited as another tenant',
      (_, lines, { key }) => Object.assign(rowOf(lines, 'api_keys'), { limited_as: key }),
      /refers to what the file does not have.*limited_as/,
    ],
    [
      'a report of a provider of another tenant',
      (_, lines, { provider }) =>
        Object.assign(rowOf(lines, 'provider_callbacks'), { provider_id: provider }),
      /provider_callbacks.provider_id that belongs to another tenant/,
    ],
    [
      'a sequence at its end',
      header => Object.assign(header.sequences, { outbox_seq_seq: '9223372036854775807' }),
      /counted outbox_seq_seq up to 9223372036854775807/,
    ],
    ['a first line without tables', header => void delete header.tables, /in its first line, tables/],
    [
      'an id that is none',
      header => Object.assign(header.tenant, { id: "'" }),
      /in its first line, tenant.id/,
    ],
    [
      'a column of the instance',
      header => void header.tables[0].columns.push('tenant_id'),
      /which this database does not have/,
    ],
  ]

  async function tryIn(other: TestDatabase, edit: Edit) {
    const key = `insert into api_keys (id, tenant_id, name, key_hash, hint, scopes)
      select uuid_v7(), id, 'k', md5(random()::text) || md5(random()::text), 'h', '{}' from tenants returning id`
    const provider = `insert into provider_configs (id, name, kind, channel, config)
      values (uuid_v7(), md5(random()::text), 'http', 'sms', '{}') returning id`
    const idOf = async (statement: string) => (await other.pool.query(statement)).rows[0].id
    const others = { key: await idOf(key), provider: await idOf(provider) }
    writeFileSync(file('forged.ndjson'), forge(edit, others))
    return runAt(other, 'import', file('forged.ndjson'))
  }

  it('is refused, and leaves nothing', async () => {
    const other = await createInstance()
    try {
      for (const [name, edit, message] of refused) {
        const { code, stderr } = await tryIn(other, edit)
        expect([name, code, stderr]).toEqual([name, 1, expect.stringMatching(message)])
      }
      expect((await other.pool.query('select name from tenants')).rows).toEqual([{ name: 'operator' }])
      expect((await other.pool.query("select nextval('outbox_seq_seq') < 1000000 as ok")).rows[0].ok).toBe(
        true,
      )
    } finally {
      await other.drop()
    }
  })

  it('comes suspended and as the youngest, whatever columns it has', async () => {
    const other = await createInstance()
    try {
      const { code } = await tryIn(other, header => {
        const [tenants] = header.tables
        tenants.columns = tenants.columns.filter((name: string) => !/^(suspen|created)/.test(name))
      })
      expect(code).toBe(0)
      const { rows } = await other.pool.query(
        'select name, suspended_at is not null as is_suspended from tenants order by created_at',
      )
      expect(rows).toEqual([
        { name: 'operator', is_suspended: false },
        { name: 'default', is_suspended: true },
      ])
    } finally {
      await other.drop()
    }
  })

  it('has the default settings if it brings none', async () => {
    const other = await createInstance()
    try {
      const isSetting = ({ table }: Line) => /^tenant_(settings|retention)$/.test(table)
      const { code } = await tryIn(other, (_, lines) => {
        lines.splice(0, lines.length, ...lines.filter(line => !isSetting(line)))
      })
      expect(code).toBe(0)
      const { rowCount } = await other.pool.query(
        'select from tenant_settings join tenant_retention using (tenant_id)',
      )
      expect(rowCount).toBe(2)
    } finally {
      await other.drop()
    }
  })

  it('cannot fill the memory with a line that has no end', async () => {
    const megabytes = Buffer.alloc(1_000_000, 'a')
    const packed = await promisify(gzip)(Buffer.concat(Array(257).fill(megabytes)), { level: 1 })
    writeFileSync(file('endless.ndjson.gz'), packed)
    expect((await importFrom('endless.ndjson.gz')).stderr).toContain('longer than any row')
  })
})

it('an instance that was never started takes none: nobody could resume it', async () => {
  const other = await createTestDatabase()
  const { stderr } = await runAt(other, 'import', file('open.ndjson'))
  expect(stderr).toContain('Start it once, and then import')
  await other.drop()
})

it('an import that dies leaves nothing', async () => {
  const other = await createInstance()
  const client = createClient(other.url)
  await client.connect()
  try {
    const { rows: backend } = await client.query('select pg_backend_pid() as pid')
    let killed: Promise<unknown> | undefined
    const dying = importTenant(client, {
      path: file('open.ndjson'),
      release: { number: 99_999, compatible_since: 1 },
      keyring: createKeyring([targetKey]),
      passphrase: async () => '',
      as: undefined,
      onProgress: (done, total) => {
        if (done > total / 2) killed ??= other.pool.query('select pg_terminate_backend($1)', [backend[0].pid])
      },
    })
    await expect(dying).rejects.toThrow()
    await killed
    for (const { name, tenant } of await readTables(other.pool)) {
      const found = `select from carillon.${name} where ${tenant} = $1 limit 1`
      expect((await other.pool.query(found, [source.tenantId])).rowCount, name).toBe(0)
    }
  } finally {
    await client.end()
    await other.drop()
  }
})
