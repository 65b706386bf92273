/** `carillon email-log`: which mails about threads and events a person got. */
import type { LoggedEmail } from '@carillon/contract'
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'

const COLUMNS: Column<LoggedEmail>[] = [
  { head: 'sent', value: mail => formatMoment(mail.sent_at), whole: true },
  { head: 'thread', value: ({ thread }) => (thread === null ? '' : `${thread.kind} ${thread.id}`) },
  { head: 'notification', value: mail => mail.notification_id, whole: true },
  { head: 'message', value: mail => mail.message_id },
]

export function addEmailLog(program: Command, open: Open): void {
  program
    .command('email-log')
    .argument('<user-id>')
    .description('mails about threads and events that a person got, newest first')
    .action(async (user_id: string, _: object, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const { rows, more } = await firstRows(page => client.emailLog.list({ user_id, ...page }), limit)
      print.list(rows, COLUMNS, { empty: 'No mails about threads or events.', more })
    })
}
