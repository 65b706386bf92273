/** The packages as others get them: packed, and installed in a project that knows nothing of this repository. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const PACKAGES = ['contract', 'sdk', 'inbox', 'dashboard', 'server'] as const
export type PackageName = (typeof PACKAGES)[number]

export interface Tarballs {
  /** A new project's folder with these packages; what they depend on comes from the registry. */
  install(names: PackageName[]): Promise<string>
  /** A folder with what is in the package. */
  unpack(name: PackageName): Promise<string>
}

export async function packTarballs(scratchDir: string): Promise<Tarballs> {
  const folder = mkdtempSync(join(scratchDir, 'tarballs-'))
  const workspaces = PACKAGES.map(name => `--workspace=${name}`)
  await npm(ROOT, 'pack', '--ignore-scripts', `--pack-destination=${folder}`, ...workspaces)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return {
    async install(names) {
      const project = join(folder, `with-${names.join('-')}`)
      mkdirSync(project)
      writeFileSync(join(project, 'package.json'), '{ "private": true }\n')
      const files = names.map(name => join(folder, `carillon-${name}-${version}.tgz`))
      await npm(project, 'install', '--engine-strict', '--prefer-offline', ...files)
      return project
    },
    async unpack(name) {
      await execute('tar', ['-xzf', `carillon-${name}-${version}.tgz`, '--one-top-level'], { cwd: folder })
      return join(folder, `carillon-${name}-${version}`, 'package')
    },
  }
}

/** Runs a program and answers what it wrote to stdout; when it fails, the error has all of its output. */
export async function execute(
  program: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<string> {
  try {
    return (await run(program, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
  }
}

function npm(cwd: string, ...args: string[]): Promise<string> {
  return execute('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd })
}
