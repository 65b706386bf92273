/** `carillon explain`: what happened to one notification, and why. */
import type { Explanation } from '@carillon/contract'
import type { Client } from '@carillon/sdk'
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'
import { firstRows } from '../output/first-rows.ts'
import { renderTimeline } from '../output/timeline.ts'

export function addExplain(program: Command, open: Open): void {
  program
    .command('explain')
    .argument('<id>', 'notification id')
    .option('--user <id>', 'only what concerns this person')
    .description('every decision about a notification, in order, for each person and channel')
    .action(async (id: string, { user }: { user?: string }, command: Command) => {
      const { connect, print, limit } = open(command)
      const explanation = await explain(connect(), id, user, limit)
      print.show(explanation, () => renderTimeline(explanation, print.colors, print.width))
      if (explanation.next_cursor !== null)
        print.remark('There is more: --user shows one person, --limit shows more people.')
    })
}

/** Joins the pages into one explanation. A person whose routes are split over two pages is listed once. */
async function explain(
  client: Client,
  id: string,
  user_id: string | undefined,
  limit: number | undefined,
): Promise<Explanation> {
  let explanation: Explanation | undefined
  const people = new Map<string, Explanation['people'][number]>()
  await firstRows(async position => {
    const page = await client.records.explain(id, { user_id, ...position })
    explanation = { ...(explanation ?? page), next_cursor: page.next_cursor }
    for (const person of page.people) {
      const known = people.get(person.recipient_ref)?.routes ?? []
      people.set(person.recipient_ref, { ...person, routes: [...known, ...person.routes] })
    }
    return { data: page.people.flatMap(person => person.routes), next_cursor: page.next_cursor }
  }, limit)
  return { ...explanation!, people: [...people.values()] }
}
