/** A disk that takes nothing more: whoever reads the message must learn that, and not blame the backup. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { restoreCommand } from '../embedded-database/embedded-archive.ts'
import { createContainer } from './container.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(inject('scratchDir'), 'container-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a container that cannot be written says why, and not only that it was aborted', async () => {
  writeFileSync(join(folder, 'source'), 'x'.repeat(100_000))
  const container = await createContainer(join(folder, 'cluster'))
  await container.abandon()
  await expect(container.add('source', join(folder, 'source'))).rejects.toThrow(/EBADF|closed/)
})

const codeOf = (file: string, target: string) => {
  const command = restoreCommand(folder).replaceAll('%f', file).replaceAll('%p', target)
  try {
    execFileSync('/bin/sh', ['-c', command], { stdio: 'ignore' })
    return 0
  } catch (error) {
    return (error as { status: number }).status
  }
}

it.each([
  ['is there', 'whole', 'unpacked', 0],
  ['is not there', 'missing', 'unpacked', 1],
  ['is damaged', 'damaged', 'unpacked', 200],
  ['has no room', 'whole', '/dev/full', 201],
])('a segment of the log that %s', (_what, file, target, code) => {
  writeFileSync(join(folder, 'whole.gz'), gzipSync('x'.repeat(10_000)))
  writeFileSync(join(folder, 'damaged.gz'), gzipSync('x'.repeat(10_000)).subarray(0, 20))
  expect(codeOf(file, target.startsWith('/') ? target : join(folder, target))).toBe(code)
})
