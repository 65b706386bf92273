/** `carillon check-config`: what the settings are, and whether Carillon would start with them. */
import type { Command } from 'commander'
import { describeConfig, loadConfig } from '../../platform/config/config.ts'
import type { Open } from '../invocation.ts'
import type { Column } from '../output/table.ts'

export function addCheckConfig(program: Command, open: Open): void {
  program
    .command('check-config')
    .description('show every setting with its value; exits with 1 when one is wrong')
    .action((_options, command: Command) => {
      const { print, terminal } = open(command)
      loadConfig(terminal.environment)
      print.list(describeConfig(terminal.environment), COLUMNS, { empty: 'No settings.' })
      print.remark('The settings are valid.')
    })
}

const COLUMNS: Column<ReturnType<typeof describeConfig>[number]>[] = [
  { head: 'setting', value: setting => setting.name, whole: true },
  { head: 'value', value: setting => (setting.value === '' ? '–' : setting.value) },
  { head: 'from', value: setting => (setting.is_default ? 'default' : 'environment'), optional: true },
  { head: 'meaning', value: setting => setting.meaning },
]
