/** pgBackRest for a PostgreSQL of one's own, by the files and commands of docs/operations/backup.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canRun } from '../../server/test/server-process.ts'
import { repository } from '../prove/repository.ts'
import {
  type Clock,
  makeCluster,
  makeFolderOf,
  type OwnPostgres,
  PROGRAMS,
  runAsPostgres,
  writeOwned,
} from './own-postgres.ts'

const DOCUMENT = 'docs/operations/backup.md'
/** What the document names, and the proof has elsewhere. */
const DOCUMENTED = {
  data: '/var/lib/postgresql/15/main',
  restored: '/var/lib/postgresql/15/restored',
  repository: '/var/lib/pgbackrest',
  passphrase: '<a long passphrase>',
  target: '2026-03-01 12:00:00+00',
}

export interface BackedUp {
  postgres: OwnPostgres
  /** Runs the one command of the document that has all these words, and gives what it prints. */
  run(words: string[], where?: Where): Promise<string>
  info(): Promise<Info>
}

export interface Where {
  /** The point in time. */
  target?: number
  /** A folder that takes the place of the cluster's. */
  into?: string
  clock?: Clock
}

/** As far as anybody looks at it. */
export interface Info {
  archive: { min: string }[]
  backup: { label: string; archive: { start: string } }[]
}

/** Why this machine cannot do it; installs what is missing if it may. */
export function obstacleToPgBackRest(): string | undefined {
  if (!canRun(`${PROGRAMS}/postgres`, 'postgresql-15'))
    return 'it has no PostgreSQL 15 of Debian, and it could not be installed'
  if (!canRun('pgbackrest', 'pgbackrest', 'version'))
    return 'it has no pgBackRest, and it could not be installed'
  return undefined
}

/** A cluster that archives its log into a repository; it has no database of Carillon yet. */
export async function makeBackedUp(folder: string, clock: Clock = {}): Promise<BackedUp> {
  const storage = makeFolderOf(join(folder, 'repository'))
  const own = makeFolderOf(join(folder, 'pgbackrest'))
  const config = join(own, 'pgbackrest.conf')
  const archiving = documentedFile('archive_command').replace('pgbackrest ', `pgbackrest --config=${config} `)
  const postgres = await makeCluster(folder, archiving, clock)
  writeOwned(
    own,
    'pgbackrest.conf',
    `${documentedFile('[carillon]')
      .replace(DOCUMENTED.data, postgres.data)
      .replace(DOCUMENTED.repository, storage)
      .replace(DOCUMENTED.passphrase, 'kept somewhere else')
      .replace('[carillon]', `log-path=${own}\nlock-path=${own}\nspool-path=${own}\n[carillon]`)}
pg1-socket-path=${postgres.sockets}
pg1-port=${postgres.port}
`,
  )
  await postgres.start(clock)

  async function run(words: string[], { target, into, clock }: Where = {}): Promise<string> {
    let command = documentedCommand(words)
    if (target !== undefined) command = command.replace(DOCUMENTED.target, momentOf(target))
    if (into !== undefined) command = command.replace(DOCUMENTED.restored, into)
    const more = `--config=${config} --log-level-console=info`
    return runAsPostgres('sh', ['-c', `pgbackrest ${more} ${command}`], clock)
  }

  async function info(): Promise<Info> {
    const args = [`--config=${config}`, '--stanza=carillon', '--output=json', 'info']
    return JSON.parse(await runAsPostgres('pgbackrest', args))[0]
  }
  return { postgres, run, info }
}

/** The library that moves clocks, for a number of days ago; undefined where it is missing. */
export async function daysAgo(): Promise<((days: number) => Clock) | undefined> {
  if (!canRun('faketime')) return undefined
  const environment = await runAsPostgres('faketime', ['-f', '-1d', 'env'])
  const library = /^LD_PRELOAD=(.*)$/m.exec(environment)?.[1]
  if (library === undefined) return undefined
  return days => (days === 0 ? REAL_TIME : clockOf(library, days))
}

const REAL_TIME: Clock = {}

/** How long something takes must not jump, so clocks that only measure that stay as they are. */
function clockOf(library: string, days: number): Clock {
  return { LD_PRELOAD: library, FAKETIME: `-${days}d`, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

/** The moment of the last commit that a restored server has replayed, as it says itself. */
export function lastCommitOf({ said }: OwnPostgres): number | undefined {
  const time = /last completed transaction was at log time (\S+ \S+?)\+00/.exec(said)?.[1]
  return time === undefined ? undefined : new Date(`${time.replace(' ', 'T')}Z`).getTime()
}

function documentedBlocks(): { language: string; text: string }[] {
  const document = readFileSync(join(repository, DOCUMENT), 'utf8')
  return [...document.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }))
}

function documentedFile(having: string): string {
  const found = documentedBlocks().filter(({ language, text }) => language === 'ini' && text.includes(having))
  if (found.length !== 1) throw new Error(`${DOCUMENT} has ${found.length} files with ${having}`)
  return found[0]!.text
}

function documentedCommand(words: string[]): string {
  const all = documentedBlocks()
    .filter(({ language }) => language === 'sh' || language === 'text')
    .flatMap(({ text }) =>
      [...text.matchAll(/pgbackrest (--stanza=[^#\n]*)/g)].map(([, found]) => found!.trim()),
    )
  // Some are in two places, such as the backup that is made at once and then by cron.
  const found = [...new Set(all)].filter(command => hasExactly(command, words))
  if (found.length !== 1) throw new Error(`${DOCUMENT} has ${found.length} commands with ${words.join(' ')}`)
  return found[0]!
}

/** Besides the stanza, and values, which are of a place or a moment. */
function hasExactly(command: string, words: string[]): boolean {
  const own = command
    .replace(/"[^"]*"/g, '')
    .split(' ')
    .map(word => word.replace(/^(--pg1-path|--target)=.*/, '$1'))
    .filter(word => word !== '--stanza=carillon')
  return own.length === words.length && words.every(word => own.includes(word))
}

function momentOf(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '+00')
}
