import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { DataFolderHeld, holdDataFolder } from './embedded-lock.ts'

let dataDir: string
const lockFile = () => join(dataDir, 'carillon.lock')

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'carillon-lock-'))
  return () => rmSync(dataDir, { recursive: true })
})

it('a folder has one holder, until that gives it back', () => {
  const release = holdDataFolder(dataDir)
  expect(readFileSync(lockFile(), 'utf8')).toBe(`${process.pid}\n${hostname()}\n`)
  expect(() => holdDataFolder(dataDir)).toThrow(DataFolderHeld)
  expect(() => holdDataFolder(dataDir)).toThrow('this very process')
  release()
  expect(existsSync(lockFile())).toBe(false)
  holdDataFolder(dataDir)()
})

it('giving a folder back twice leaves it to its next holder', () => {
  const release = holdDataFolder(dataDir)
  release()
  const next = holdDataFolder(dataDir)
  release()
  expect(() => holdDataFolder(dataDir)).toThrow(DataFolderHeld)
  next()
})

it('a lock file that a dead process left behind holds nothing', () => {
  writeFileSync(lockFile(), '1\nelsewhere\n')
  const release = holdDataFolder(dataDir)
  expect(readFileSync(lockFile(), 'utf8')).toBe(`${process.pid}\n${hostname()}\n`)
  release()
})

it('a folder that cannot be written to is named', () => {
  expect(() => holdDataFolder(join(dataDir, 'missing'))).toThrow(/missing cannot be written to: ENOENT/)
})

if (process.platform === 'linux') {
  it('without the command that locks files, the error says what to install', () => {
    expect(() => holdDataFolder(dataDir, ['/nowhere/flock'])).toThrow(
      /cannot be locked: the command "flock" is missing/,
    )
  })

  it('a PATH without the folders of the system locks all the same', () => {
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    holdDataFolder(dataDir)()
  })
}
