/** How long a page is busy at a time, in the time of its own thread: a machine that is busy with something else adds nothing. */
import type { Page } from 'playwright-core'

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Of the thread, in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/** The longest task of a page’s main thread while something happens, in milliseconds. */
export async function longestTaskMs(page: Page, happening: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] })
  await happening()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const mains = trace.traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const threads = new Set(mains.map(threadOf))
  const tasks = trace.traceEvents.filter(
    event => /RunTask$/.test(event.name) && event.tdur !== undefined && threads.has(threadOf(event)),
  )
  if (tasks.length === 0) throw new Error('The trace has no tasks of the page.')
  return Math.max(...tasks.map(({ tdur }) => tdur!)) / 1000
}
