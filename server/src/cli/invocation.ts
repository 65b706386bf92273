/** One run of a command: the global options turned into a client, a printer and a limit. */
import { type Client, createClient } from '@carillon/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { loadClientConfig } from '../platform/config/config.ts'
import { findRunningCarillon } from '../platform/processes/running-carillon.ts'
import { createPrinter, type Printer } from './output/printer.ts'
import type { Terminal } from './output/terminal.ts'

export interface Invocation {
  print: Printer
  terminal: Terminal
  /** How many rows were asked for with --limit. */
  limit: number | undefined
  connect(): Client
  /** With the server's own address in front if the server does not know it, and gave only a path. */
  addressOf(address: string): string
  /** Makes the exit code 1: the command did its work, but the result is not a good one. */
  endWithFailure(): void
}

export type Open = (command: Command) => Invocation

interface GlobalOptions {
  url?: string
  apiKey?: string
  json?: boolean
  limit?: number
}

export function addGlobalOptions(program: Command): void {
  program
    .option('--url <address>', 'where Carillon listens (CARILLON_URL)')
    .option('--api-key <key>', 'the key to use (CARILLON_API_KEY, or the key stored by the first start)')
    .option('--json', 'write exactly one JSON document to stdout')
    .option('--limit <rows>', 'maximum number of rows in a list', positiveNumber)
}

export function createOpen(terminal: Terminal, endWithFailure: () => void): Open {
  return command => {
    const options = command.optsWithGlobals<GlobalOptions>()
    return {
      print: createPrinter(terminal, options.json === true),
      terminal,
      limit: options.limit,
      connect: () => connect(command, options, terminal),
      addressOf: address =>
        address.startsWith('/') ? serverOf(options, terminal).replace(/\/$/, '') + address : address,
      endWithFailure,
    }
  }
}

export function positiveNumber(given: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(given))
    throw new InvalidArgumentError('Expected a whole number of at least 1.')
  return Number(given)
}

function serverOf(options: GlobalOptions, terminal: Terminal): string {
  const found = loadClientConfig(terminal.environment)
  return options.url ?? found.url ?? findRunningCarillon(found.dataDir)?.url ?? found.usualUrl
}

function connect(command: Command, options: GlobalOptions, terminal: Terminal): Client {
  const url = serverOf(options, terminal)
  const apiKey = options.apiKey ?? loadClientConfig(terminal.environment).apiKey
  try {
    return createClient(apiKey === undefined ? { url } : { url, apiKey })
  } catch (error) {
    return command.error(`error: ${(error as Error).message}`)
  }
}
