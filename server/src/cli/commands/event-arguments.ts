/** Arguments that describe an event, for emitting and simulating it. */
import type { NewEvent } from '@carillon/contract'
import type { Command } from 'commander'
import { ArgumentMistake, jsonFrom } from './json-argument.ts'

export interface EventOptions {
  actor?: string
  topic?: string
  thread?: string
  title?: string
  relation?: string[]
  payload?: string
  key?: string
}

const collect = (given: string, before: string[] = []) => [...before, given]

export function addEventArguments(command: Command): Command {
  return command
    .argument('<kind>', 'what happened, such as issue_opened')
    .option('--actor <user-id>', 'who did it')
    .option('--topic <topic>', 'what it happened in')
    .option('--thread <kind/id>', 'what it is about, such as issue/7')
    .option('--title <title>', 'the title of the thread')
    .option('--relation <name=user,user...>', 'who stands in which relation to it', collect)
    .option('--payload <json>', 'JSON, @file, or - for stdin')
    .option('--key <key>', 'idempotency key')
}

export async function eventFrom(
  kind: string,
  options: EventOptions,
  readStdin: () => Promise<string>,
): Promise<NewEvent> {
  const { actor, topic, thread, title, relation, payload, key } = options
  if (title !== undefined && thread === undefined)
    throw new ArgumentMistake('a title needs a thread: give --thread')
  return {
    kind,
    ...(actor !== undefined && { actor_id: actor }),
    ...(topic !== undefined && { topic }),
    ...(thread !== undefined && { thread: { ...threadFrom(thread), ...(title !== undefined && { title }) } }),
    ...(relation !== undefined && { relations: relationsFrom(relation) }),
    ...(payload !== undefined && {
      payload: (await jsonFrom('payload', payload, readStdin)) as Record<string, unknown>,
    }),
    ...(key !== undefined && { idempotency_key: key }),
  }
}

export function threadFrom(given: string): { kind: string; id: string } {
  const [, kind, id] = /^([^/]+)\/(.+)$/.exec(given) ?? []
  if (kind === undefined || id === undefined)
    throw new ArgumentMistake(`the thread "${given}" is not of the form issue/7`)
  return { kind, id }
}

function relationsFrom(given: string[]): Record<string, string[]> {
  return Object.fromEntries(
    given.map(text => {
      const [, name, people] = /^([^=]+)=(.+)$/.exec(text) ?? []
      if (name === undefined || people === undefined)
        throw new ArgumentMistake(`the relation "${text}" is not of the form mention=ada,bob`)
      return [name, people.split(',')]
    }),
  )
}
