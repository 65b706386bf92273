/**
 * The user that the embedded PostgreSQL runs as. It refuses to run as root, so root runs it as an unprivileged user;
 * everyone else runs it as themselves.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Owner {
  name: string
  /** Set only when we are root and switch to another user. */
  ids?: { uid: number; gid: number }
}

/** Prefers the owner of an existing cluster, so that a user's data stays theirs when root starts Carillon once. */
export function chooseOwner(existingCluster?: string): Owner {
  if (process.getuid?.() !== 0) return { name: 'the current user' }
  if (existingCluster) {
    const { uid, gid } = statSync(existingCluster)
    if (uid !== 0) return { name: `uid ${uid}`, ids: { uid, gid } }
  }
  const owner = findUser('postgres') ?? findUser('nobody')
  if (owner) return owner
  throw new Error(
    'PostgreSQL does not run as root and this machine has neither a user "postgres" nor "nobody". ' +
      'Start Carillon as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  )
}

/** Whether the owner can enter the folder and every folder above it. Ignores access control lists. */
export function canEnter(directory: string, owner: Owner): boolean {
  if (!owner.ids) return true
  const { mode, uid, gid } = statSync(directory)
  const bit = uid === owner.ids.uid ? 0o100 : gid === owner.ids.gid ? 0o010 : 0o001
  if ((mode & bit) === 0) return false
  const parent = dirname(directory)
  return parent === directory || canEnter(parent, owner)
}

/** Makes a folder that the owner can enter even under root's strict umask. Folders that exist keep their mode. */
export function makeFolder(directory: string): void {
  const firstMade = mkdirSync(directory, { recursive: true })
  if (!firstMade || process.getuid?.() !== 0) return
  for (let made = directory; made.length >= firstMade.length; made = dirname(made)) chmodSync(made, 0o755)
}

/** Makes the owner own a file, or a folder with everything in it. */
export function changeOwner(owner: Owner, path: string): void {
  if (!owner.ids) return
  const { uid, gid } = owner.ids
  chownSync(path, uid, gid)
  if (!statSync(path).isDirectory()) return
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) changeOwner(owner, child)
    else lchownSync(child, uid, gid)
  }
}

/**
 * How every PostgreSQL program is spawned: in a folder that everybody may enter, and without our environment, whose
 * PG* and locale variables would change what it does.
 */
export function spawnOptions(owner: Owner): SpawnOptions {
  return { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, ...owner.ids }
}

/** Runs a short program as the owner; when it cannot even be started, returns code -1 and the reason. */
export async function runAs(
  owner: Owner,
  command: string,
  args: string[],
  input = '',
): Promise<{ code: number; output: string }> {
  try {
    return await collectOutput(spawn(command, args, { ...spawnOptions(owner), stdio: 'pipe' }), input)
  } catch (error) {
    return { code: -1, output: (error as Error).message }
  }
}

function collectOutput(child: ChildProcess, input: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.stdin?.on('error', () => {}) // It may end without reading its input.
    child.stdin?.end(input)
    child.on('error', reject)
    child.on('close', (code, signal) =>
      resolve({ code: code ?? -1, output: signal ? `${output}\n${signal}` : output }),
    )
  })
}

function findUser(name: string): Owner | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(entry => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { name: `user ${name}`, ids: { uid: Number(uid), gid: Number(gid) } } : undefined
}
