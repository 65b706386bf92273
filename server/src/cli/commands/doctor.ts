/** `carillon doctor`: how the instance is, looked at from this machine or by a running server. */
import { existsSync } from 'node:fs'
import type { Examination, HealthState } from '@carillon/contract'
import type { Command } from 'commander'
import { type Environment, loadConfig } from '../../platform/config/config.ts'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { printable } from '../output/printable.ts'
import type { Printer } from '../output/printer.ts'
import { wrap } from '../output/wrap.ts'

const INDENT = 4

export function addDoctor(program: Command, open: Open): void {
  program
    .command('doctor')
    .option('--remote', 'ask the running server instead of looking from this machine')
    .description('how the instance is, with advice; exits with 1 when something is bad')
    .action(async ({ remote }: { remote?: true }, command: Command) => {
      const { connect, print, terminal, endWithFailure } = open(command)
      const examination = remote
        ? await connect().doctor.examine()
        : await examineHere(terminal.environment, print.remark)
      print.show(examination, () => renderExamination(examination, print))
      if (examination.status === 'bad') endWithFailure()
    })
}

/** Only looks: nothing is created where there is no Carillon yet, and nothing migrated. */
async function examineHere(
  environment: Environment | undefined,
  remark: (line: string) => void,
): Promise<Examination> {
  const config = loadConfig(environment)
  const [{ examine }, { patientOf }, { borrowDatabase, hasDatabase }, { createPool }] = await Promise.all([
    import('../../operations/doctor/doctor.ts'),
    import('../../operations/doctor/patient.ts'),
    import('../../platform/embedded-database/open.ts'),
    import('../../platform/database/pool.ts'),
  ])
  const { loadKeyring, masterKeyFile } = await import('../../platform/secrets/master-key.ts')
  const { createAddressGuard } = await import('../../platform/outgoing/address-guard.ts')
  if (!hasDatabase(config))
    throw new Error(
      `There is no Carillon in ${config.dataDir}. Set CARILLON_DATA_DIR or DATABASE_URL as the server has it, or ask the server: carillon doctor --remote.`,
    )
  const hasKey = config.CARILLON_MASTER_KEY !== '' || existsSync(masterKeyFile(config.dataDir))
  const database = await borrowDatabase(config, remark)
  const pool = createPool(database.url, { max: 2, timeoutMs: 10_000 })
  try {
    return await examine(
      patientOf(config, {
        pool,
        keyring: hasKey ? await loadKeyring(config) : undefined,
        guard: createAddressGuard(config.CARILLON_ALLOWED_NETWORKS, config.CARILLON_DENIED_NETWORKS),
      }),
    )
  } finally {
    await pool.end()
    await database.close()
  }
}

function renderExamination({ findings, status }: Examination, { colors, width }: Printer): string {
  const widest = Math.max(...findings.map(({ check }) => check.length))
  const column = INDENT + widest
  const lines = findings.flatMap(({ check, status, summary, advice }, i) => {
    // A check with several findings is named once.
    const name = findings[i - 1]?.check === check ? '' : check
    const text = wrap(printable(summary), width - column)
    const hint = advice === null ? [] : wrap(printable(advice), width - column)
    const first = `${markOf(status, colors)} ${colors.bold(name.padEnd(widest))}  ${text[0] ?? ''}`
    const rest = [...text.slice(1), ...hint.map(line => colors.dim(line))]
    return [first, ...rest.map(line => `${' '.repeat(column)}${line}`)]
  })
  return [...lines, '', SUMMARIES[status]].join('\n')
}

const SUMMARIES: Record<HealthState, string> = {
  ok: 'All is well.',
  warn: 'It works; look at what is marked with !.',
  bad: 'Something needs you: see what is marked with ✗.',
}

function markOf(status: HealthState, { green, yellow, red }: Colors): string {
  return { ok: green('✓'), warn: yellow('!'), bad: red('✗') }[status]
}
