/** The Carillon that is killed and started again on the same data folder and port. */
import { waitFor } from '../../server/test/wait-for.ts'
import { type CarillonProcess, runCarillon, type Settings } from '../carillon-process.ts'
import { type DataFolder, isAlive } from '../data-folder.ts'

/** `starting`: the server again, this time while it comes up. */
export const KILLS = ['server', 'postgres', 'both', 'starting'] as const
export type Kill = (typeof KILLS)[number]

export interface Victim {
  /** Started and ready. */
  start(): Promise<void>
  /** kill -9, without a wait for anything. */
  kill(kill: Kill): Promise<void>
  /** Brings back what the kill ended, and waits until it is ready. */
  recover(kill: Kill, pauseMs: number): Promise<void>
  /** Stops it politely; gives the exit code. */
  stop(): Promise<number | null>
  /** Whatever state it is in, it does not run afterwards. */
  abandon(): Promise<void>
}

export function createVictim(folder: DataFolder, url: string, settings: Settings): Victim {
  let server: CarillonProcess | undefined

  function launch(): CarillonProcess {
    server = runCarillon(['start'], settings)
    return server
  }

  function killPostgres(): void {
    const pid = folder.postmaster()
    if (pid === undefined) throw new Error('there is no PostgreSQL to kill')
    process.kill(pid, 'SIGKILL')
  }

  return {
    async start() {
      await launch().ready(url)
    },

    async kill(kill) {
      // With both, PostgreSQL goes first, so that the server may be anywhere in noticing it.
      if (kill === 'postgres' || kill === 'both') killPostgres()
      if (kill !== 'postgres') await server!.end('SIGKILL')
    },

    async recover(kill, pauseMs) {
      if (kill === 'starting') {
        const halfStarted = launch()
        await Promise.race([untilPassed(pauseMs), halfStarted.exited])
        await halfStarted.end('SIGKILL')
      }
      // A server that lost its database has to bring it back by itself: the same process, the same address.
      if (kill === 'postgres') await server!.ready(url)
      else await launch().ready(url)
    },

    async stop() {
      const postmaster = folder.postmaster()
      const { code } = await server!.end('SIGTERM')
      if (postmaster !== undefined && isAlive(postmaster)) throw new Error('its PostgreSQL outlived it')
      return code
    },

    async abandon() {
      await server?.end('SIGKILL')
    },
  }
}

/** Time itself is what is waited for here: a kill comes at a moment nobody chose. */
export async function untilPassed(ms: number): Promise<void> {
  const end = Date.now() + ms
  await waitFor(async () => Date.now() >= end, { what: 'time to pass', deadlineMs: ms + 1_000, everyMs: 5 })
}
