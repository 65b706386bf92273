/** What each package contains and says of itself. Installing them is tried by tarballs.prove.ts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { PACKAGES, type PackageName, packTarballs, ROOT } from './tarballs.fixture.ts'

vi.setConfig({ hookTimeout: 120_000 })

let folderOf: (name: PackageName) => string
beforeAll(async () => {
  const tarballs = await packTarballs(inject('scratchDir'))
  const folders = await Promise.all(PACKAGES.map(async name => [name, await tarballs.unpack(name)] as const))
  folderOf = name => new Map(folders).get(name)!
})

describe.each(PACKAGES)('the package %s', name => {
  const folder = () => folderOf(name)
  const manifest = () => JSON.parse(readFileSync(join(folder(), 'package.json'), 'utf8'))

  test('contains what it needs to run, its readme and its license, and nothing else', () => {
    const built = {
      contract: ['commonjs', 'dist'],
      sdk: ['commonjs', 'dist', 'scripts.d.ts'],
      inbox: ['dist', 'styles'],
      dashboard: ['dist'],
      server: ['bin', 'dist', 'functions', 'migrations', 'release.json', 'sandboxed', 'styles'],
    }
    const expected = ['LICENSE', 'README.md', 'package.json', ...built[name]]
    expect(readdirSync(folder()).sort()).toEqual(expected.sort())
    const files = readdirSync(folder(), { recursive: true }) as string[]
    expect(files.filter(file => /\.(test|suite|fixture)\.|\.tsbuildinfo$/.test(file))).toEqual([])
    expect(files.filter(file => /(?<!\.d)\.ts$/.test(file))).toEqual([])
    expect(readFileSync(join(folder(), 'LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
    expect(readFileSync(join(folder(), 'README.md'), 'utf8')).toMatch(new RegExp(`^# @carillon/${name}\n`))
  })

  // All that the dashboard needs is in its files; the packages it names are in code to copy.
  const verb = name === 'dashboard' ? 'carries' : 'depends on'
  test(`${verb} every package that its code or its types name`, () => {
    if (name === 'dashboard') return expect(manifest()).not.toHaveProperty('dependencies')
    const named = (readdirSync(folder(), { recursive: true }) as string[])
      .filter(file => /\.(js|d\.ts)$/.test(file))
      .flatMap(file => packagesNamedIn(readFileSync(join(folder(), file), 'utf8')))
    const { dependencies, peerDependencies = {} } = manifest()
    expect(named).not.toEqual([])
    expect([...new Set(named)].filter(name => !(name in dependencies || name in peerDependencies))).toEqual(
      [],
    )
  })

  test('says what it is, under which license and for which Node', () => {
    const { version, engines, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(manifest()).toMatchObject({ name: `@carillon/${name}`, version, engines, license })
    expect(manifest().description).toMatch(/\.$/)
    expect(manifest().keywords).toContain('notifications')
    // A fork or a mirror would point to somebody else's.
    for (const key of ['repository', 'homepage', 'bugs', 'scripts'])
      expect(manifest()).not.toHaveProperty(key)
  })
})

/** Imports and exports, each on a line of its own as the compiler writes them, `import('…')` in types, `require('…')`. */
function packagesNamedIn(code: string): string[] {
  const named = /(?:^(?:import|export)\b.* from |^import |\bimport\(|\brequire\()['"]([^.'"][^'"]*)['"]/gm
  return [...code.matchAll(named)]
    .map(match => match[1]!)
    .filter(specifier => !specifier.startsWith('node:'))
    .map(specifier => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
}
