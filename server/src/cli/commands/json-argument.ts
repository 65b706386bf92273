/** Arguments that are JSON, and how mistakes in arguments are reported. */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'

/** Arguments that are well-formed but make no sense. */
export class ArgumentMistake extends Error {}

/** Reports mistakes in the arguments in the same way as commander reports those it finds itself. */
export async function reportMistakes(command: Command, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ArgumentMistake) command.error(`error: ${error.message}`)
    throw error
  }
}

/** As with curl: @ names a file, - is stdin, anything else is the text itself. `what` it is, for mistakes. */
export async function jsonFrom(
  what: string,
  given: string,
  readStdin: () => Promise<string>,
): Promise<unknown> {
  const text = given === '-' ? await readStdin() : given.startsWith('@') ? await read(what, given) : given
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ArgumentMistake(`the ${what} is not JSON: ${(error as Error).message}`)
  }
}

async function read(what: string, given: string): Promise<string> {
  try {
    return await readFile(given.slice(1), 'utf8')
  } catch (error) {
    throw new ArgumentMistake(`the ${what} cannot be read: ${(error as Error).message}`)
  }
}
