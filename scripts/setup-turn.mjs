/**
 * Commands started at the same time take turns installing and building, so they cannot spoil each other's files. Written
 * with Node alone: a lock library would have to be installed first.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const heartbeatMs = 1_000
const silentMs = 15_000
const pollMs = 100

/** Waits for its turn and returns the function that ends it. */
export async function takeTurn(folder) {
  mkdirSync(folder, { recursive: true })
  const lock = join(folder, 'setup.lock')
  for (let isToldToWait = false; !takeLock(lock); isToldToWait = true) {
    if (isAbandoned(lock)) remove(lock)
    else if (!isToldToWait) console.error('Waiting for another command that is installing or building …')
    await delay(pollMs)
  }
  const heartbeat = setInterval(() => touch(lock), heartbeatMs)
  return () => {
    clearInterval(heartbeat)
    rmSync(lock, { recursive: true, force: true })
  }
}

function takeLock(lock) {
  try {
    mkdirSync(lock)
    writeFileSync(join(lock, 'pid'), String(process.pid))
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** A killed command leaves its lock. The heartbeat tells too, since its pid may belong to somebody else by now. */
function isAbandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > silentMs) return true
    return !isAlive(Number(readFileSync(join(lock, 'pid'), 'utf8')))
  } catch {
    return false // Just taken or just given back: look again.
  }
}

function isAlive(pid) {
  if (!pid) return true // Made a moment ago and not yet written.
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Moving comes first, because only one of several waiting commands can move the same folder. */
function remove(lock) {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
    rmSync(aside, { recursive: true, force: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // Taken away by somebody who thought us dead; the work itself goes on.
  }
}
