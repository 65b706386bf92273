/** `carillon inbox`: what a person has in the inbox, and what is done with it. */
import { INBOX_ACTIONS, type InboxActionName, type InboxItem } from '@carillon/contract'
import { Argument, type Command } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { firstRows } from '../output/first-rows.ts'
import { printable } from '../output/printable.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'

interface TellOptions {
  message?: string
  link?: string
  expires?: string
}

export function addInbox(program: Command, open: Open): void {
  const inbox = program.command('inbox').description('what people have in the inbox')

  inbox
    .command('list', { isDefault: true })
    .argument('<user-id>')
    .argument('[filter...]', 'such as is:unread reason:mention')
    .description('newest first')
    .action(async (userId: string, filter: string[], _options, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const q = filter.join(' ')
      const { rows, more } = await firstRows(
        page => client.inbox.list(userId, { ...(q !== '' && { q }), ...page }),
        limit,
      )
      print.list(rows, columns(print.colors), { empty: 'Nothing in the inbox.', more })
    })

  inbox
    .command('count')
    .argument('<user-id>')
    .description('how many are unread')
    .action(async (userId: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const count = await connect().inbox.unreadCount(userId)
      print.show(count, () => String(count.unread))
    })

  inbox
    .command('mark')
    .argument('<user-id>')
    .addArgument(new Argument('<action>').choices(INBOX_ACTIONS))
    .argument('<id...>', 'up to 100 notifications')
    .description('do something with notifications for the person')
    .action(async (userId: string, action: InboxActionName, ids: string[], _options, command: Command) => {
      const { connect, print } = open(command)
      const result = await connect().inbox.bulk(userId, { action, ids })
      const done = ids.length - result.missing.length
      print.show(result, () => `${print.colors.green('✓')} ${action}: ${done}; ${result.unread} unread`)
      if (result.missing.length > 0) print.remark(`Not in this inbox: ${result.missing.join(', ')}`)
    })

  inbox
    .command('read-all')
    .argument('<user-id>')
    .argument('[filter...]', 'only what matches')
    .description('mark everything as read')
    .action(async (userId: string, filter: string[], _options, command: Command) => {
      const { connect, print } = open(command)
      const q = filter.join(' ')
      const result = await connect().inbox.readAll(userId, q === '' ? {} : { q })
      print.show(result, () => `${print.colors.green('✓')} read: ${result.read}; ${result.unread} unread`)
    })

  inbox
    .command('tell-everybody')
    .argument('<type>', 'what it is about, such as maintenance')
    .argument('<title>')
    .option('--message <text>')
    .option('--link <address>', 'where it leads')
    .option('--expires <time>', 'ISO 8601; from then on nobody sees it')
    .description('put a notification into every inbox of the tenant')
    .action(async (type: string, title: string, options: TellOptions, command: Command) => {
      const { connect, print } = open(command)
      const { message, link, expires } = options
      const notification = await connect().notifications.create({
        type,
        title,
        ...(message !== undefined && { message }),
        ...(link !== undefined && { url: link }),
        ...(expires !== undefined && { expires_at: expires }),
      })
      print.show(
        notification,
        () => `${print.colors.green('✓')} ${notification.id}: ${printable(notification.title)}`,
      )
    })

  inbox
    .command('take-back')
    .argument('<id>', 'a notification for everybody')
    .description('take a notification out of every inbox')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      await connect().notifications.delete(id)
      print.show({ id }, () => `${print.colors.green('✓')} taken back`)
    })
}

function columns(colors: Colors): Column<InboxItem>[] {
  return [
    { head: 'id', value: item => item.id, whole: true },
    { head: 'last event', value: item => formatMoment(item.last_event_at), whole: true },
    { head: 'state', value: stateOf, paint: (text, item) => (item.is_read ? colors.dim(text) : text) },
    { head: 'reason', value: item => item.reason, optional: true },
    { head: 'topic', value: item => item.topic ?? '', optional: true },
    { head: 'events', value: item => item.event_count },
    { head: 'title', value: item => item.title },
  ]
}

function stateOf({ is_read, done_at, saved_at, snoozed_until }: InboxItem): string {
  const states = [
    is_read ? 'read' : 'unread',
    done_at !== null && 'done',
    saved_at !== null && 'saved',
    snoozed_until !== null && 'snoozed',
  ]
  return states.filter(Boolean).join(', ')
}
