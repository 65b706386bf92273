import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, describeConfig, type Environment, loadClientConfig, loadConfig } from './config.ts'
import { SETTINGS, type Setting } from './settings.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-config-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
function problemsOf(environment: Environment): string[] {
  try {
    loadConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}
const settings = Object.entries(SETTINGS) as [string, Setting][]
const secrets = settings.filter(([, setting]) => setting.secret).map(([name]) => name)

describe('settings', () => {
  it('have defaults that work as they stand', () => {
    const config = loadConfig({})
    expect(config).toMatchObject({
      PORT: 8420,
      HOST: '127.0.0.1',
      DATABASE_URL: '',
      CARILLON_ROLES: ['api', 'ingest', 'delivery', 'fanout', 'dispatch', 'maintenance'],
      CARILLON_PROVIDERS: {},
      dataDir: resolve('./data'),
    })
  })

  it.each(settings)('%s says what it means', (_name, setting) => {
    expect(setting.meaning.length).toBeGreaterThan(5)
  })

  it('are read, with lists and pairs taken apart', () => {
    const config = loadConfig({
      PORT: '0',
      CARILLON_ROLES: 'api, delivery',
      CARILLON_PROVIDERS: 'email=smtp, sms=http',
      CARILLON_SMTP_URL: 'smtp://mail.example.com:587',
      CARILLON_HTTP_PROVIDER_URL: 'https://sms.example.com/send',
      CARILLON_HTTP_PROVIDER_HEADERS: '{"x-key":"1"}',
      CARILLON_PROVIDER_RATES: 'sms=60',
    })
    expect(config).toMatchObject({
      PORT: 0,
      CARILLON_ROLES: ['api', 'delivery'],
      CARILLON_PROVIDERS: { email: 'smtp', sms: 'http' },
      CARILLON_HTTP_PROVIDER_HEADERS: { 'x-key': '1' },
      CARILLON_PROVIDER_RATES: { sms: 60 },
    })
  })

  it.each([
    ['PORT', '80a', 'Expected a whole number from 0 to 65535.'],
    ['PORT', '65536', 'Expected a whole number from 0 to 65535.'],
    ['PORT', '', 'Expected a whole number from 0 to 65535.'],
    ['CARILLON_POLL_MS', '-1', 'Expected a whole number from 10 to 60000.'],
    ['CARILLON_LEASE_SECONDS', '1.5', 'Expected a whole number from 1 to 3600.'],
    ['CARILLON_ROLES', 'api,cook', 'Expected one of api, ingest, delivery, fanout, dispatch, maintenance.'],
    ['CARILLON_ROLES', 'apii', 'maintenance; did you mean "api"?'],
    ['CARILLON_LOG_LEVEL', 'loud', 'Expected one of fatal, error, warn, info, debug, trace, silent.'],
    ['CARILLON_PLAYGROUND', 'yes', 'Expected one of on, off.'],
    ['CARILLON_PROVIDERS', 'email=pigeon', 'Expected pairs such as email=smtp'],
    ['CARILLON_PROVIDERS', 'in_app=http', 'Expected pairs such as email=smtp'],
    ['CARILLON_PROVIDER_RATES', 'email=0', 'Expected pairs such as email=600'],
    ['CARILLON_PROVIDER_RATES', '600', 'Expected pairs such as email=600'],
    ['CARILLON_PUBLIC_URL', 'notify.example.com', 'Expected an address starting with http:// or https://.'],
  ])(
    '%s=%s is refused with what was expected and what was got',
    { tags: 'S000-34' },
    (name, value, expected) => {
      const problems = problemsOf({ [name]: value })
      expect(problems).toHaveLength(1)
      expect(problems[0]).toContain(`${name}: `)
      expect(problems[0]).toContain(expected)
      expect(problems[0]).toContain(`Got "${value}".`)
    },
  )

  it.each([
    ['CARILLON_POL_MS', 'CARILLON_POLL_MS'],
    ['CARILLON_LEASE_SECOND', 'CARILLON_LEASE_SECONDS'],
    ['CARILLON_SMTP_URI', 'CARILLON_SMTP_URL'],
    ['CARILLON_API_KEI', 'CARILLON_API_KEY'],
  ])('%s is no setting: did you mean %s?', { tags: 'S000-34' }, (name, meant) => {
    expect(problemsOf({ [name]: '1' })).toEqual([`${name} is not a setting; did you mean ${meant}?`])
  })

  it('a name nobody could have meant gets no suggestion; others’ variables are left alone', {
    tags: 'S000-34',
  }, () => {
    expect(problemsOf({ CARILLON_ZZZZZZZZZZZZZZZZZZZZ: '1' })).toEqual([
      'CARILLON_ZZZZZZZZZZZZZZZZZZZZ is not a setting.',
    ])
    expect(
      problemsOf({ PATH: '/bin', HOME: '/root', CARILLON_URL: 'http://x', CARILLON_API_KEY: 'k' }),
    ).toEqual([])
  })

  it('all problems are reported at once, one line each', { tags: 'S000-34' }, () => {
    const environment = { PORT: 'x', CARILLON_POLL_MS: '1', CARILLON_NOTHING_LIKE_IT: '1' }
    expect(() => loadConfig(environment)).toThrow(
      /^Carillon cannot start with these settings:(\n {2}- .+){3}$/,
    )
  })

  it.each([
    [{ CARILLON_PROVIDERS: 'email=smtp' }, 'CARILLON_SMTP_URL'],
    [{ CARILLON_PROVIDERS: 'sms=http' }, 'CARILLON_HTTP_PROVIDER_URL'],
    [{ CARILLON_DKIM_DOMAIN: 'example.com' }, 'CARILLON_DKIM_PRIVATE_KEY'],
    [{ CARILLON_POOLER_URL: 'postgres://pooler/x' }, 'DATABASE_URL, the server behind it,'],
    [{ CARILLON_BACKUP_DIR: '/backups' }, 'CARILLON_BACKUP_PASSPHRASE'],
    [{ DATABASE_OWNER_URL: 'postgres://owner@db/carillon' }, 'DATABASE_URL'],
  ])('%j contradicts itself without %s', { tags: 'S000-34' }, (environment, missing) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(`${missing} is empty`)])
  })
})

it('backs up only the embedded database', () => {
  const backups = { CARILLON_BACKUP_DIR: 'backups', CARILLON_BACKUP_PASSPHRASE: 'long enough for this' }
  expect(loadConfig(backups).backupDir).toBe(resolve('backups'))
  expect(loadConfig({}).backupDir).toBeUndefined()
  expect(problemsOf({ ...backups, DATABASE_URL: 'postgres://db/carillon' })).toEqual([
    expect.stringContaining('its own tools'),
  ])
})

describe('a rate', () => {
  it.each([
    [{ CARILLON_PROVIDER_RATES: 'email=60' }, ['email']],
    [{ CARILLON_PROVIDER_RATES: 'email=60', CARILLON_SMTP_URL: 'smtp://127.0.0.1' }, []],
    [
      {
        CARILLON_PROVIDER_RATES: 'email=60',
        CARILLON_SMTP_URL: 'smtp://127.0.0.1',
        CARILLON_PROVIDERS: 'email=capture',
      },
      ['email'],
    ],
  ])('%j names channels without a provider: %j', { tags: 'S000-34' }, (environment, channels) => {
    expect(problemsOf(environment)).toEqual(
      channels.map(channel => expect.stringContaining(`CARILLON_PROVIDER_RATES names ${channel}`)),
    )
  })
})

describe('secrets', () => {
  const SECRET = 'hunter2-hunter2'

  it.each(secrets)('%s may come from a file', name => {
    const value = valueFor(name)
    const needed = ['CARILLON_POOLER_URL', 'DATABASE_OWNER_URL'].includes(name)
      ? { DATABASE_URL: valueFor('DATABASE_URL') }
      : {}
    const config = loadConfig({ ...needed, [`${name}_FILE`]: file(name, `${value}\n`) })
    expect(JSON.stringify(config[name as keyof typeof config])).toContain(SECRET)
  })

  it.each(secrets)('%s is never printed, neither in the table nor in a complaint', name => {
    const value = `bad:${SECRET}`
    const shown = JSON.stringify(describeConfig({ [name]: value })) + problemsOf({ [name]: value }).join()
    expect(shown).not.toContain(SECRET)
    expect(shown).toContain('(hidden)')
    const fromFile = file(`bad-${name}`, value)
    const complaint =
      JSON.stringify(describeConfig({ [`${name}_FILE`]: fromFile })) +
      problemsOf({ [`${name}_FILE`]: fromFile }).join()
    expect(complaint).not.toContain(SECRET)
  })

  it('every address that may hold a password is a secret', () => {
    const addresses = settings.filter(([name]) => name.endsWith('_URL')).map(([name]) => name)
    expect(addresses.filter(name => !secrets.includes(name))).toEqual(['CARILLON_PUBLIC_URL'])
  })

  it('given twice, or in a file that is not there, are refused', () => {
    const path = file('smtp', urlFor('CARILLON_SMTP_URL'))
    expect(
      problemsOf({ CARILLON_SMTP_URL: urlFor('CARILLON_SMTP_URL'), CARILLON_SMTP_URL_FILE: path }),
    ).toEqual(['CARILLON_SMTP_URL and CARILLON_SMTP_URL_FILE are both set; keep only one.'])
    expect(problemsOf({ DATABASE_URL_FILE: '/nowhere/at/all' })).toEqual([
      'DATABASE_URL_FILE names "/nowhere/at/all", which cannot be read.',
    ])
  })

  it('only they come from files: HOST_FILE changes nothing, CARILLON_POLL_MS_FILE is refused', () => {
    const path = file('host', '0.0.0.0')
    expect(loadConfig({ HOST_FILE: path }).HOST).toBe('127.0.0.1')
    expect(describeConfig({ HOST_FILE: path }).find(row => row.name === 'HOST')).toMatchObject({
      value: '127.0.0.1',
      is_default: true,
    })
    expect(problemsOf({ CARILLON_POLL_MS_FILE: path })[0]).toContain('did you mean CARILLON_POLL_MS?')
  })

  function valueFor(name: string): string {
    if (name.endsWith('HEADERS')) return `{"k":"${SECRET}"}`
    if (name === 'CARILLON_STREAMS')
      return JSON.stringify([{ name: 'orders', url: urlFor('REDIS_URL'), key: 'intents' }])
    return name.endsWith('URL') ? urlFor(name) : SECRET
  }

  function urlFor(name: string): string {
    const schemes: Record<string, string> = {
      DATABASE_URL: 'postgres',
      CARILLON_POOLER_URL: 'postgres',
      DATABASE_OWNER_URL: 'postgres',
      REDIS_URL: 'redis',
      NATS_URL: 'nats',
      CARILLON_SMTP_URL: 'smtp',
      CARILLON_OUTPUT_NATS_URL: 'nats',
      CARILLON_OUTPUT_REDIS_URL: 'redis',
    }
    return `${schemes[name] ?? 'https'}://user:${SECRET}@host/x`
  }
})

describe('the table of settings', () => {
  it('shows value, default and meaning of each', () => {
    const table = describeConfig({ PORT: '9000' })
    expect(table.map(row => row.name)).toEqual(settings.map(([name]) => name))
    expect(table.find(row => row.name === 'PORT')).toMatchObject({ value: '9000', is_default: false })
    expect(table.find(row => row.name === 'HOST')).toMatchObject({ value: '127.0.0.1', is_default: true })
  })
})

describe('the settings of the command line', () => {
  it('come from the environment, else from what start left behind', () => {
    writeFileSync(join(folder, 'api-key'), 'ck_left\n')
    expect(loadClientConfig({ CARILLON_DATA_DIR: folder, PORT: '9' })).toEqual({
      url: undefined,
      usualUrl: 'http://127.0.0.1:9',
      dataDir: folder,
      apiKey: 'ck_left',
    })
    const given = { CARILLON_URL: 'https://x', CARILLON_API_KEY: 'ck_given', CARILLON_DATA_DIR: folder }
    expect(loadClientConfig(given)).toMatchObject({ url: 'https://x', apiKey: 'ck_given' })
    const empty = { CARILLON_URL: '', CARILLON_API_KEY: '', CARILLON_DATA_DIR: folder }
    expect(loadClientConfig(empty)).toMatchObject({ url: undefined, apiKey: 'ck_left' })
  })
})
