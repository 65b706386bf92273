/** Turns the environment into a validated configuration. The only place that reads the environment. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { z } from 'zod'
import { didYouMean } from '../text/did-you-mean.ts'
import { wordsOf } from '../text/issue-words.ts'
import { type ProviderChannel, SETTINGS, type Setting, type SettingName } from './settings.ts'

type Values = { [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']> }

export interface Config extends Values {
  /** Absolute path of CARILLON_DATA_DIR. */
  dataDir: string
  /** Absolute path of CARILLON_BACKUP_DIR; undefined where nothing is backed up. */
  backupDir: string | undefined
}

/** Everything that is wrong with the settings, one line each. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(
      `Carillon cannot start with these settings:\n${problems.map(problem => `  - ${problem}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

export type Environment = Record<string, string | undefined>

export function loadConfig(environment: Environment = process.env): Config {
  const problems = unknownNames(environment)
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting][]) {
    const given = readValue(name, setting, environment, problems)
    const parsed = setting.schema.safeParse(given)
    if (parsed.success) values[name] = parsed.data
    else
      for (const issue of parsed.error.issues)
        problems.push(describe(name, setting, given, wordsOf(issue, given)))
  }
  if (problems.length === 0) problems.push(...contradictions(values as Values))
  if (problems.length > 0) throw new ConfigError(problems)
  const config = values as Values
  const { CARILLON_DATA_DIR: data, CARILLON_BACKUP_DIR: backups } = config
  return { ...config, dataDir: resolve(data), backupDir: backups === '' ? undefined : resolve(backups) }
}

/** What the environment gives a channel; undefined where it says nothing. */
export function providerOf(
  values: Pick<Values, 'CARILLON_PROVIDERS' | 'CARILLON_SMTP_URL'>,
  channel: ProviderChannel,
): 'capture' | 'http' | 'smtp' | undefined {
  const isMailServer = channel === 'email' && values.CARILLON_SMTP_URL !== ''
  return values.CARILLON_PROVIDERS[channel] ?? (isMailServer ? 'smtp' : undefined)
}

/** With a database of its own it is most likely somebody who tries things out. */
export function hasPlayground(values: Pick<Values, 'CARILLON_PLAYGROUND' | 'DATABASE_URL'>): boolean {
  return values.CARILLON_PLAYGROUND === '' ? values.DATABASE_URL === '' : values.CARILLON_PLAYGROUND === 'on'
}

/** The settings as a table: name, value (secrets hidden), whether it is the default, meaning. */
export function describeConfig(environment: Environment = process.env) {
  return (Object.entries(SETTINGS) as [SettingName, Setting][]).map(([name, setting]) => {
    const isInFile = setting.secret && environment[`${name}_FILE`] !== undefined
    const given = environment[name] ?? (isInFile ? '(from file)' : undefined)
    const value = given ?? setting.default
    return {
      name: name as string,
      value: setting.secret && given !== undefined && given !== '' ? '(hidden)' : value,
      is_default: given === undefined,
      meaning: setting.meaning,
    }
  })
}

/**
 * Where the command line finds the server and a key: CARILLON_URL and CARILLON_API_KEY, or else what `start` stored. Empty
 * is the same as missing, as it is for the SDK.
 */
export function loadClientConfig(environment: Environment = process.env): {
  url: string | undefined
  /** Where a server listens that left no word of it in the data folder. */
  usualUrl: string
  dataDir: string
  apiKey: string | undefined
} {
  const dataDir = resolve(environment.CARILLON_DATA_DIR ?? SETTINGS.CARILLON_DATA_DIR.default)
  const port = environment.PORT ?? SETTINGS.PORT.default
  return {
    url: environment.CARILLON_URL || undefined,
    usualUrl: `http://127.0.0.1:${port}`,
    dataDir,
    apiKey: environment.CARILLON_API_KEY || readIfThere(apiKeyFile(dataDir)),
  }
}

/** What a program that we start for somebody gets of their environment. */
export function programEnvironment(environment: Environment = process.env): Environment {
  return { ...environment }
}

/** The file with the first API key, for the operator who missed it on the screen. */
export function apiKeyFile(dataDir: string): string {
  return join(dataDir, 'api-key')
}

function readValue(
  name: SettingName,
  setting: Setting,
  environment: Environment,
  problems: string[],
): string {
  const path = environment[`${name}_FILE`]
  if (path === undefined || !setting.secret) return environment[name] ?? setting.default
  if (environment[name] !== undefined) problems.push(`${name} and ${name}_FILE are both set; keep only one.`)
  const content = readIfThere(path)
  if (content === undefined) problems.push(`${name}_FILE names "${path}", which cannot be read.`)
  return content ?? setting.default
}

/** A misspelt setting would silently do nothing, so every CARILLON_ name must be known. */
function unknownNames(environment: Environment): string[] {
  const clientNames = ['CARILLON_URL', 'CARILLON_API_KEY']
  const known = [...Object.keys(SETTINGS), ...clientNames]
  const fileNames = Object.entries(SETTINGS).flatMap(([name, setting]) =>
    'secret' in setting ? [`${name}_FILE`] : [],
  )
  return Object.keys(environment)
    .filter(name => name.startsWith('CARILLON_') && !known.includes(name) && !fileNames.includes(name))
    .map(name => {
      const meant = didYouMean(name, known)
      return `${name} is not a setting${meant ? `; did you mean ${meant}?` : '.'}`
    })
}

function contradictions(values: Values): string[] {
  const problems: string[] = []
  const used = Object.values(values.CARILLON_PROVIDERS)
  if (used.includes('smtp') && values.CARILLON_SMTP_URL === '')
    problems.push('CARILLON_PROVIDERS names smtp, but CARILLON_SMTP_URL is empty.')
  if (used.includes('http') && values.CARILLON_HTTP_PROVIDER_URL === '')
    problems.push('CARILLON_PROVIDERS names http, but CARILLON_HTTP_PROVIDER_URL is empty.')
  for (const channel of Object.keys(values.CARILLON_PROVIDER_RATES) as ProviderChannel[]) {
    if ((providerOf(values, channel) ?? 'capture') === 'capture')
      problems.push(`CARILLON_PROVIDER_RATES names ${channel}, but no provider is set up for it here.`)
  }
  for (const { name, kind, url } of values.CARILLON_STREAMS) {
    const usual = kind === 'redis' ? 'REDIS_URL' : 'NATS_URL'
    if (url === '' && values[usual] === '')
      problems.push(`CARILLON_STREAMS: ${name}: expected a url, or ${usual} to be set; got neither.`)
  }
  if (values.CARILLON_POOLER_URL !== '' && values.DATABASE_URL === '')
    problems.push('CARILLON_POOLER_URL is set, but DATABASE_URL, the server behind it, is empty.')
  if (values.CARILLON_BACKUP_DIR !== '' && values.CARILLON_BACKUP_PASSPHRASE === '')
    problems.push(
      'CARILLON_BACKUP_DIR is set, but CARILLON_BACKUP_PASSPHRASE is empty: backups hold the master key, which is encrypted with it.',
    )
  if (values.CARILLON_BACKUP_DIR !== '' && values.DATABASE_URL !== '')
    problems.push(
      'CARILLON_BACKUP_DIR is for the embedded database; back up the server of DATABASE_URL with its own tools (docs/operations/backup.md).',
    )
  if (values.DATABASE_OWNER_URL !== '' && values.DATABASE_URL === '')
    problems.push('DATABASE_OWNER_URL is set, but DATABASE_URL is empty.')
  if (values.CARILLON_DKIM_DOMAIN !== '' && values.CARILLON_DKIM_PRIVATE_KEY === '')
    problems.push('CARILLON_DKIM_DOMAIN is set, but CARILLON_DKIM_PRIVATE_KEY is empty.')
  return problems
}

function describe(name: string, setting: Setting, given: string, message: string): string {
  return setting.secret ? `${name}: ${message}` : `${name}: ${message} Got "${given}".`
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}
