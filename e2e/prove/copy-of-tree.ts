/** A copy of the repository as it is now, with another Node and other versions of some packages. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './repository.ts'

const run = promisify(execFile)
/** Ignored by git, but nothing that tests read. */
const LEFT_OUT = /(^|\/)(\.cache|data|node_modules)\//

export interface OtherPackages {
  /** What npm installs to have the binary. */
  node: string
  replaced: { name: string; version: string }[]
}

export async function copyOfTree(
  folder: string,
  { node, replaced }: OtherPackages,
): Promise<{ tree: string; node: string; scratch: string }> {
  const tree = join(folder, 'tree')
  const scratch = join(folder, 'scratch')
  const others = join(folder, 'others')
  for (const each of [tree, scratch, others]) await mkdir(each, { recursive: true, mode: 0o755 })
  const paths = [
    ...(await listed('--cached', '--others')),
    ...(await listed('--others', '--ignored', '--directory')),
  ]
  for (const path of paths.filter(path => !LEFT_OUT.test(path) && existsSync(join(repository, path))))
    await cp(join(repository, path), join(tree, path), { recursive: true })
  for (const each of ['node_modules', 'e2e/node_modules'])
    await run('cp', ['-a', join(repository, each), join(tree, each)])

  const wanted = [node, ...replaced.map(({ name, version }) => `${name}@${version}`)]
  await run('npm', ['install', '--prefix', others, '--ignore-scripts', '--no-audit', '--no-fund', ...wanted])
  for (const { name } of replaced) {
    await rm(join(tree, 'node_modules', name), { recursive: true })
    await rename(join(others, 'node_modules', name), join(tree, 'node_modules', name))
  }
  const program = join(others, 'node_modules', node.split('@')[0]!, 'bin/node')
  return { tree, node: program, scratch }
}

async function listed(...which: string[]): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-z', '--exclude-standard', ...which], {
    cwd: repository,
    maxBuffer: 100_000_000,
  })
  return stdout.split('\0').filter(path => path !== '')
}
