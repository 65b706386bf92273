/** A progress bar on stderr, or nothing at all where no person is watching. */
import { SingleBar } from 'cli-progress'
import type { Printer } from './printer.ts'
import type { Terminal } from './terminal.ts'

export interface Progress {
  update(done: number, total: number): void
  stop(): void
}

export function startProgress(what: string, terminal: Terminal, { json }: Printer): Progress {
  const { stderr } = terminal
  if (json || !stderr.isTTY) return { update() {}, stop() {} }
  const bar = new SingleBar({
    format: `${what} {bar} {value}/{total}`,
    stream: stderr as NodeJS.WritableStream,
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
  })
  return {
    update(done, total) {
      // Not started before there is something to count: a bar of 0 would look full.
      if (!bar.isActive && total > 0) bar.start(total, done)
      bar.setTotal(total)
      bar.update(done)
    },
    stop: () => bar.stop(),
  }
}
