/** `carillon scripts invoke`: runs a script and shows what it gives back. */
import { CarillonError } from '@carillon/sdk'
import { type Command, Option } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import { printableJson } from '../output/printable.ts'
import { findScriptId } from './find-script.ts'
import { jsonFrom, reportMistakes } from './json-argument.ts'

interface InvokeOptions {
  input?: string
  async?: boolean
}

export function addInvoke(scripts: Command, open: Open): void {
  scripts
    .command('invoke')
    .argument('<script>', 'its name or id')
    .addOption(
      new Option('--input <json>', 'what the script sees as event.data: JSON, @file, or - for stdin'),
    )
    .option('--async', 'do not wait for the result')
    .description('run a script and show its result')
    .action((given: string, options: InvokeOptions, command: Command) =>
      reportMistakes(command, () => invoke(open(command), given, options)),
    )
}

async function invoke(
  { connect, print, terminal }: Invocation,
  script: string,
  { input, async: later }: InvokeOptions,
): Promise<void> {
  const body = input === undefined ? {} : { input: await jsonFrom('input', input, terminal.readStdin) }
  const client = connect()
  const id = await findScriptId(client, script)
  if (later) {
    const accepted = await client.scripts.invokeLater(id, body)
    print.show(accepted, () => accepted.execution_id)
    print.remark(`Its runs: carillon runs --event ${accepted.execution_id}`)
  } else {
    const { execution_id, result } = await client.scripts.invoke(id, body).catch(error => {
      if (error instanceof CarillonError && error.code.startsWith('script_'))
        print.remark(`Its log: carillon runs list --script ${script} --kind invoke`)
      throw error
    })
    print.show({ execution_id, result }, () => printableJson(result))
    print.remark(`Its run: carillon runs --event ${execution_id}`)
  }
}
