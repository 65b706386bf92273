/** `carillon topics`, `carillon watch` and `carillon threads`: what is watched and discussed, and by whom. */
import { type Subscription, type Thread, type Topic, WATCH_LEVELS, type Watch } from '@carillon/contract'
import { type Command, Option } from 'commander'
import type { Open } from '../invocation.ts'
import { firstRows } from '../output/first-rows.ts'
import { printable } from '../output/printable.ts'
import type { Column } from '../output/table.ts'

interface PutTopicOptions {
  title?: string
  link?: string
  private?: boolean
}

interface WatchOptions {
  level: Watch['level']
  kinds?: string[]
}

export function addTopics(program: Command, open: Open): void {
  const topics = program.command('topics').description('what people watch')

  topics
    .command('list', { isDefault: true })
    .description('by name')
    .action(async (_options, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const { rows, more } = await firstRows(page => client.topics.list(page), limit)
      print.list(rows, TOPIC_COLUMNS, { empty: 'No topics.', more })
    })

  topics
    .command('put')
    .argument('<topic>')
    .option('--title <title>')
    .option('--link <address>', 'where it leads')
    .option('--private', 'only members are told what happens in it')
    .description('create or replace a topic')
    .action(async (topic: string, options: PutTopicOptions, command: Command) => {
      const { connect, print } = open(command)
      const stored = await connect().topics.put(topic, {
        ...(options.title !== undefined && { title: options.title }),
        ...(options.link !== undefined && { url: options.link }),
        visibility: options.private ? 'private' : 'public',
      })
      print.show(
        stored,
        () => `${print.colors.green('✓')} ${printable(stored.topic)} is ${stored.visibility}`,
      )
    })

  topics
    .command('delete')
    .argument('<topic>')
    .description('with its threads, members, watches and inbox rows')
    .action(async (topic: string, _options, command: Command) => {
      const { connect, print } = open(command)
      await connect().topics.delete(topic)
      print.show({ topic }, () => `${print.colors.green('✓')} deleted`)
    })
}

export function addWatch(program: Command, open: Open): void {
  program
    .command('watch')
    .argument('<topic>')
    .argument('<user-id>')
    .addOption(new Option('--level <level>').choices(WATCH_LEVELS).default('all'))
    .option('--kinds <kind...>', 'kinds of events to be told of besides')
    .description('let a person watch a topic')
    .action(async (topic: string, user_id: string, { level, kinds = [] }: WatchOptions, command: Command) => {
      const { connect, print } = open(command)
      const watch = await connect().topics.watch(topic, { user_id, level, kinds })
      print.show(
        watch,
        () => `${print.colors.green('✓')} ${printable(user_id)} watches at level ${watch.level}`,
      )
    })
}

export function addThreads(program: Command, open: Open): void {
  const threads = program.command('threads').description('what is being discussed')

  threads
    .command('list', { isDefault: true })
    .option('--topic <topic>', 'only those of a topic')
    .description('by kind and id')
    .action(async (options: { topic?: string }, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const { rows, more } = await firstRows(page => client.threads.list({ ...options, ...page }), limit)
      print.list(rows, THREAD_COLUMNS, { empty: 'No threads.', more })
    })

  threads
    .command('followers')
    .argument('<kind>')
    .argument('<id>')
    .description('who follows a thread, and who left it')
    .action(async (kind: string, id: string, _options, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const { rows, more } = await firstRows(page => client.threads.subscriptions({ kind, id }, page), limit)
      print.list(rows, SUBSCRIPTION_COLUMNS, { empty: 'Nobody follows it.', more })
    })

  for (const [name, subscribed, done] of [
    ['follow', true, 'follows'],
    ['leave', false, 'left'],
  ] as const)
    threads
      .command(name)
      .argument('<kind>')
      .argument('<id>')
      .argument('<user-id>')
      .description(subscribed ? 'let a person follow a thread' : 'let a person leave a thread')
      .action(async (kind: string, id: string, user_id: string, _options, command: Command) => {
        const { connect, print } = open(command)
        const stored = await connect().threads.subscribe({ kind, id }, { user_id, subscribed })
        print.show(stored, () => `${print.colors.green('✓')} ${printable(user_id)} ${done} it`)
      })
}

const TOPIC_COLUMNS: Column<Topic>[] = [
  { head: 'topic', value: topic => topic.topic, whole: true },
  { head: 'visibility', value: topic => topic.visibility },
  { head: 'title', value: topic => topic.title },
]

const THREAD_COLUMNS: Column<Thread>[] = [
  { head: 'kind', value: thread => thread.kind, whole: true },
  { head: 'id', value: thread => thread.id, whole: true },
  { head: 'topic', value: thread => thread.topic, optional: true },
  { head: 'author', value: thread => thread.author_id, optional: true },
  { head: 'title', value: thread => thread.title },
]

const SUBSCRIPTION_COLUMNS: Column<Subscription>[] = [
  { head: 'user', value: row => row.user_id, whole: true },
  { head: 'follows', value: row => (row.subscribed ? 'yes' : 'left') },
  { head: 'reason', value: row => row.reason },
]
