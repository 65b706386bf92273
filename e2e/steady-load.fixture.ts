/** Sends intents without a pause, over HTTP to the processes in service and by SQL, until it is stopped. */
import type pg from 'pg'
import { waitFor } from '../server/test/wait-for.ts'

export interface SteadyLoad {
  /** How many requests each process has answered, by its URL. */
  readonly answered: Map<string, number>
  /** The ids of all accepted intents, over HTTP and by SQL. */
  readonly accepted: string[]
  /** Every answer that was neither 202 nor an id. */
  readonly failures: string[]
  /** Starts to use a process, as a load balancer does when it is ready. */
  putInService(url: string): void
  /** Sends nothing more to it; resolves when its last answer has arrived. */
  takeOutOfService(url: string): Promise<void>
  /** Resolves when this process has answered this many more requests, and SQL has returned as many more ids. */
  waitForMore(url: string, more: number): Promise<void>
  stop(): Promise<void>
}

export interface LoadOptions {
  apiKey: string
  /** The application's own connection. */
  application: pg.Client
  intent: (number: number) => object
}

const SENDERS = 3

export function startLoad({ apiKey, application, intent }: LoadOptions): SteadyLoad {
  const inService: string[] = []
  const answered = new Map<string, number>()
  const open = new Map<string, number>()
  const accepted: string[] = []
  const failures: string[] = []
  let bySql = 0
  let number = 0
  let isRunning = true
  const count = (counts: Map<string, number>, url: string, by: number) =>
    counts.set(url, (counts.get(url) ?? 0) + by)

  async function post(url: string): Promise<void> {
    const response = await fetch(`${url}/v1/intents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(intent(++number)),
    })
    const body = await response.text()
    if (response.status === 202) accepted.push(JSON.parse(body).notification_id)
    else failures.push(`${url}: ${response.status} ${body}`)
  }

  async function sendByHttp(sender: number): Promise<void> {
    for (let turn = sender; isRunning; turn++) {
      const url = inService[turn % inService.length]!
      count(open, url, 1)
      await post(url).catch(error => failures.push(`${url}: ${error}`))
      count(open, url, -1)
      count(answered, url, 1)
    }
  }

  async function sendBySql(): Promise<void> {
    while (isRunning) {
      try {
        const { rows } = await application.query('select carillon.notify($1::jsonb) as id', [
          intent(++number),
        ])
        accepted.push(rows[0].id)
        bySql++
      } catch (error) {
        failures.push(`SQL: ${error}`)
      }
    }
  }

  let senders: Promise<void>[] = []
  return {
    answered,
    accepted,
    failures,
    putInService(url) {
      inService.push(url)
      if (senders.length === 0)
        senders = [...Array.from({ length: SENDERS }, (_, n) => sendByHttp(n)), sendBySql()]
    },
    async takeOutOfService(url) {
      inService.splice(inService.indexOf(url), 1)
      await waitFor(async () => open.get(url) === 0, { what: `the last answer of ${url}` })
    },
    async waitForMore(url, more) {
      const [http, sql] = [answered.get(url) ?? 0, bySql]
      const holds = async () =>
        failures.length > 0 || ((answered.get(url) ?? 0) >= http + more && bySql >= sql + more)
      await waitFor(holds, { what: `${more} more intents by ${url} and by SQL`, deadlineMs: 60_000 })
    },
    async stop() {
      isRunning = false
      await Promise.all(senders)
    },
  }
}
