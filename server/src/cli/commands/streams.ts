/** `carillon streams`: where intents are read from. */
import type { Stream } from '@carillon/contract'
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'

export function addStreams(program: Command, open: Open): void {
  const streams = program.command('streams').description('streams that intents are read from')

  streams
    .command('list', { isDefault: true })
    .description('by name, with what waits in them')
    .action(async (_options, command: Command) => {
      const { connect, print, limit } = open(command)
      const { rows, more } = await firstRows(connect().streams.list, limit)
      print.list(rows, columns(print.colors), {
        empty: 'No streams; CARILLON_STREAMS says which to read.',
        more,
      })
    })

  streams
    .command('pause')
    .argument('<name>', 'name of the stream')
    .description('stop reading; what is added meanwhile waits in the stream')
    .action(async (name: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const stream = await connect().streams.pause(name)
      print.show(stream, () => `${print.colors.green('✓')} ${name} is paused`)
    })

  streams
    .command('resume')
    .argument('<name>', 'name of the stream')
    .description('read again from where it was paused')
    .action(async (name: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const stream = await connect().streams.resume(name)
      print.show(stream, () => `${print.colors.green('✓')} ${name} is read again`)
    })

  streams
    .command('delete')
    .argument('<name>', 'name of the stream')
    .description('forget a stream that is in no settings any more; nothing happens to the stream itself')
    .action(async (name: string, _options, command: Command) => {
      const { connect, print } = open(command)
      await connect().streams.delete(name)
      print.show({ name, deleted: true }, () => `${print.colors.green('✓')} ${name} is forgotten`)
    })
}

function columns(colors: Colors): Column<Stream>[] {
  const paints = { reading: colors.green, failing: colors.red, paused: colors.yellow }
  return [
    { head: 'name', value: stream => stream.name, whole: true },
    { head: 'kind', value: stream => stream.kind },
    { head: 'place', value: stream => stream.place },
    { head: 'group', value: stream => stream.group, optional: true },
    { head: 'status', value: stream => stream.status, paint: (text, { status }) => paints[status](text) },
    { head: 'waiting', value: stream => stream.waiting ?? '?' },
    { head: 'oldest', value: stream => (stream.oldest_at === null ? '' : formatMoment(stream.oldest_at)) },
    { head: 'error', value: stream => stream.last_error, optional: true },
  ]
}
