/** `carillon demo`: a tenant with two weeks of believable data, to look around in. */
import type { Command } from 'commander'
import { loadConfig } from '../../platform/config/config.ts'
import type { Invocation, Open } from '../invocation.ts'
import { startProgress } from '../output/progress.ts'
import { wholeNumber } from '../whole-number.ts'

interface DemoArguments {
  name: string
  days: number
  perDay: number
}

export function addDemo(program: Command, open: Open): void {
  program
    .command('demo')
    .option('--name <name>', 'name of the new tenant', 'demo')
    .option('--days <days>', 'how far back it goes', wholeNumber(1, 60), 14)
    .option('--per-day <count>', 'notifications on a working day', wholeNumber(1, 20_000), 400)
    .description('add a tenant with two weeks of believable data, to look around in')
    .action(async (options: DemoArguments, command: Command) => {
      const invocation = open(command)
      const demo = await runDemo(invocation, options)
      invocation.print.show(demo, () =>
        [
          `The tenant ${demo.tenant.name} has ${demo.notifications.toLocaleString('en')} notifications of the last ${options.days} days.`,
          demo.members > 0
            ? 'In the dashboard, choose it at the top left. Its key, shown only now:'
            : 'Nobody has an account yet: sign in to the dashboard with its key, which is shown only now:',
          demo.api_key,
          `When you have seen enough: carillon tenants delete ${demo.tenant.id}`,
        ].join('\n'),
      )
    })
}

/** Imported when needed: commands that only use HTTP should not pay for loading the database code. */
async function runDemo({ terminal, print }: Invocation, { name, days, perDay }: DemoArguments) {
  const { openInstance } = await import('./open-instance.ts')
  const { makeDemo } = await import('../../operations/demo/demo.ts')
  const { createPool } = await import('../../platform/database/pool.ts')
  const instance = await openInstance(loadConfig(terminal.environment), print.remark)
  const pool = createPool(instance.url, { max: 2 })
  const progress = startProgress('writing the past', terminal, print)
  try {
    const { client, keyring, release } = instance
    const onProgress = progress.update
    return await makeDemo({ client, pool, keyring, release, name, days, perDay, now: Date.now(), onProgress })
  } finally {
    progress.stop()
    await pool.end()
    await instance.close()
  }
}
