/** `carillon events explain`: what became of an event, and why. */
import type { EventExplanation } from '@carillon/contract'
import type { Client } from '@carillon/sdk'
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'
import { firstRows } from '../output/first-rows.ts'
import { renderEventExplanation } from '../output/render-event.ts'

export function addEventExplain(events: Command, open: Open): void {
  events
    .command('explain')
    .argument('<event-id>', 'from events list')
    .option('--user <id>', 'only what concerns this person')
    .description('how far it is, and who was told by which rule, or why not')
    .action(async (id: string, { user }: { user?: string }, command: Command) => {
      const { connect, print, limit } = open(command)
      const explanation = await explain(connect(), id, user, limit)
      print.show(explanation, () => renderEventExplanation(explanation, print.colors, print.width))
      if (explanation.next_cursor !== null)
        print.remark('There is more: --user shows one person, --limit shows more people.')
    })
}

/** Joins the pages into one explanation. */
async function explain(
  client: Client,
  id: string,
  user_id: string | undefined,
  limit: number | undefined,
): Promise<EventExplanation> {
  let last: EventExplanation | undefined
  const { rows } = await firstRows(async position => {
    last = await client.events.explain(id, { ...(user_id !== undefined && { user_id }), ...position })
    return { data: last.people, next_cursor: last.next_cursor }
  }, limit)
  return { ...last!, people: rows }
}
