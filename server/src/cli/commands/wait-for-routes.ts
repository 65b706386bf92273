/** Waits until every route of a notification is finished. */
import type { RecordDetail } from '@carillon/contract'
import type { Client } from '@carillon/sdk'
import type { Printer } from '../output/printer.ts'
import { startProgress } from '../output/progress.ts'
import type { Terminal } from '../output/terminal.ts'

type Counts = RecordDetail['routes']

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2000

export async function waitForRoutes(
  client: Client,
  id: string,
  terminal: Terminal,
  print: Printer,
): Promise<Counts> {
  const progress = startProgress('Delivering', terminal, print)
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
      const { routes, expanded_at } = await client.records.get(id)
      const unfinished = (routes.pending ?? 0) + (routes.retrying ?? 0)
      const total = Object.values(routes).reduce((sum, count) => sum + count, 0)
      progress.update(total - unfinished, total)
      // Before the audience is expanded, having no unfinished route may only mean that none was made yet.
      if (expanded_at !== null && unfinished === 0) return routes
      await terminal.sleep(pauseMs)
    }
  } finally {
    progress.stop()
  }
}

/** Somebody who should have been notified was not. Skipped routes do not count: not sending was the right decision. */
export function hasFailed(routes: Counts): boolean {
  return (routes.dead ?? 0) + (routes.expired ?? 0) + (routes.cancelled ?? 0) > 0
}
