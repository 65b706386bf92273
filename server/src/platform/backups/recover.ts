/** Lets PostgreSQL replay its log from the archive, up to the target, and begin a new timeline there. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../database/pool.ts'
import { NOT_WRITTEN, restoreCommand } from '../embedded-database/embedded-archive.ts'
import type { Binaries } from '../embedded-database/embedded-binaries.ts'
import { readPassword, superuser } from '../embedded-database/embedded-cluster.ts'
import { changeOwner, type Owner, runAs } from '../embedded-database/embedded-owner.ts'
import { choosePort } from '../embedded-database/embedded-port.ts'
import { launch, StartRefused } from '../embedded-database/embedded-postmaster.ts'
import { urlOf } from '../embedded-database/embedded-urls.ts'
import type { Choice, Target } from './choose.ts'

export interface RecoverOptions {
  cluster: string
  dataDir: string
  owner: Owner
  binaries: Binaries
  /** The folder with the segments. */
  archive: string
  target: Target
  choice: Choice
  settings: Record<string, string>
  onReplayed: (segments: number, most: number) => void
}

/** Returns when the last transaction was committed. The server is down again afterwards. */
export async function recover(options: RecoverOptions): Promise<Date | undefined> {
  const { cluster, dataDir, owner, binaries, archive, target, choice, onReplayed } = options
  const port = await choosePort(dataDir)
  let replayed = 0
  const server = await launch({
    postgres: binaries.postgres,
    cluster,
    owner,
    settings: {
      ...options.settings,
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      timezone: 'UTC',
      log_timezone: 'UTC',
      log_line_prefix: '',
      restore_command: restoreCommand(archive),
      recovery_target_timeline: String(choice.timeline),
      ...(target !== 'latest' && { recovery_target_time: timeFor(target) }),
      recovery_target_action: 'promote',
      hot_standby: 'off',
      archive_mode: 'off',
    },
    log: () => {},
    onStarting(line) {
      if (line.includes('restored log file')) onReplayed(++replayed, Math.max(replayed, choice.segments))
    },
  }).catch(error => {
    throw explained(error, options)
  })
  try {
    return await lastCommit(dataDir, port)
  } finally {
    await server.stop()
    announceTimeline(cluster, owner)
  }
}

/** Names of zones, Z included, are not known yet when PostgreSQL reads its settings. */
function timeFor(target: Date): string {
  return target.toISOString().replace('Z', '+00')
}

/** The segments may belong to the user of another machine. */
export async function refuseUnreadable(archive: string, { backup }: Choice, owner: Owner): Promise<void> {
  const first = join(archive, `${backup.start_wal}.gz`)
  const { code } = await runAs(owner, '/bin/sh', ['-c', 'test -r "$0"', first])
  if (code === 0) return
  throw new Error(
    `PostgreSQL runs as ${owner.name}, who cannot read ${first}. Give the folder ${archive} to that user.`,
  )
}

async function lastCommit(dataDir: string, port: number): Promise<Date | undefined> {
  const client = createClient(urlOf(superuser, readPassword(dataDir) ?? '', port))
  try {
    await client.connect()
    const { rows } = await client.query<{ at: Date | null }>('select pg_last_xact_replay_timestamp() as at')
    return rows[0]!.at ?? undefined
  } catch (error) {
    // The password was another one at that time. The next start says what to do; what was restored is whole.
    if ((error as { code?: string }).code !== '28P01') throw error
    return undefined
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Where the new timeline branched off has to be in the archive before anything else of it. PostgreSQL puts it there only
 * if it archives when the timeline begins, and a rehearsal must not.
 */
function announceTimeline(cluster: string, owner: Owner): void {
  const log = join(cluster, 'pg_wal')
  const newest = readdirSync(log)
    .filter(name => name.endsWith('.history'))
    .sort()
    .at(-1)
  if (newest === undefined) return
  const ready = join(log, 'archive_status', `${newest}.ready`)
  if (existsSync(ready)) return
  writeFileSync(ready, '', { mode: 0o600 })
  changeOwner(owner, ready)
}

function explained(error: unknown, { target, choice, archive }: RecoverOptions): unknown {
  if (!(error instanceof StartRefused)) return error
  const [, damaged, code] = /could not restore file "(\w+)" from archive.*?(\d+)?$/m.exec(error.output) ?? []
  if (Number(code) === NOT_WRITTEN)
    return new Error(
      `The log could not be unpacked beside the restored files: look whether the disk is full.`,
    )
  if (damaged !== undefined)
    return new Error(
      `${join(archive, `${damaged}.gz`)} is damaged, so the log ends before it. ` +
        'Use another copy of the backups, or --to with a time before this segment.',
    )
  if (target === 'latest') return error
  const { lastBeforeGap } = choice
  if (!error.output.includes('before configured recovery target was reached')) return error
  const last = /last completed transaction was at log time (.*?)(?:\+00| UTC)?$/m.exec(error.output)?.[1]
  const end = last === undefined ? '' : ` at ${new Date(`${last.replace(' ', 'T')}Z`).toISOString()}`
  const why =
    lastBeforeGap === undefined ? '' : `, since the segment of the log after ${lastBeforeGap} is missing`
  return new Error(
    `The archive ends${end}${why}, before ${target.toISOString()}. ` +
      'Restore everything that there is with --to latest, or choose an earlier time.',
  )
}
