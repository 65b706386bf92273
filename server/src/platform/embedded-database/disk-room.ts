/**
 * Starting the embedded server again after the disk was full. PostgreSQL ends itself when it cannot write its log, and
 * cannot recover before there is room for it. Nothing is lost meanwhile, and the process would only come back to the same
 * disk if it ended as well.
 */
import { setTimeout as delay } from 'node:timers/promises'

const RETRY_MS = 1000

/** undefined if `isClosed` before it could be started. */
export async function startWhenRoom<Server>(options: {
  start: () => Promise<Server>
  isClosed: () => boolean
  log: (line: string) => void
  /** For tests. */
  pause?: () => Promise<unknown>
}): Promise<Server | undefined> {
  const { start, isClosed, log, pause = () => delay(RETRY_MS) } = options
  for (let isTold = false; !isClosed(); isTold = true) {
    try {
      return await start()
    } catch (error) {
      if (!isDiskFull(error as NodeJS.ErrnoException)) throw error
      if (!isTold)
        log('The disk under the data folder is full; PostgreSQL is started again as soon as there is room.')
      await pause()
    }
  }
  return undefined
}

function isDiskFull({ code, message }: NodeJS.ErrnoException): boolean {
  return code === 'ENOSPC' || /no space left on device/i.test(message)
}
