/** The Carillon that is killed and restarted on the same data folder and port. */
import { waitFor } from '../../server/test/wait-for.ts'
import { type CarillonProcess, runCarillon, type Settings } from '../carillon-process.ts'
import { type DataFolder, isAlive } from '../data-folder.ts'

/** `starting`: the server, and then again while it starts. */
export const KILLS = ['server', 'postgres', 'both', 'starting'] as const
export type Kill = (typeof KILLS)[number]

export interface Victim {
  /** Resolves when it is ready. */
  start(): Promise<void>
  /** kill -9, without waiting for anything. */
  kill(kill: Kill): Promise<void>
  /** Brings back what the kill ended, and waits until it is ready. */
  recover(kill: Kill, pauseMs: number): Promise<void>
  /** Stops it gracefully; returns the exit code. */
  stop(): Promise<number | null>
  /** Ends it, whatever state it is in. */
  killIfRunning(): Promise<void>
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
      // When both are killed, PostgreSQL goes first: the server may or may not have noticed by the time it dies.
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

    async killIfRunning() {
      await server?.end('SIGKILL')
    },
  }
}

/** The one place that waits for time to pass: a kill has to come at a random moment. */
export async function untilPassed(ms: number): Promise<void> {
  const end = Date.now() + ms
  await waitFor(async () => Date.now() >= end, { what: 'time to pass', deadlineMs: ms + 1_000, everyMs: 5 })
}
