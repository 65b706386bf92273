/** `carillon export` and `carillon import`: a tenant as a file, from one instance to another. */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { loadConfig } from '../../platform/config/config.ts'
import type { Invocation, Open } from '../invocation.ts'
import { startProgress } from '../output/progress.ts'

export function addExport(program: Command, open: Open): void {
  program
    .command('export')
    .argument('<tenant>', 'id or name of the tenant')
    .requiredOption('--to <file>', 'file to write; packed if its name ends with .gz')
    .option(
      '--passphrase-file <file>',
      'take secrets along, encrypted with what this file holds; - for stdin',
    )
    .option('--without-secrets', 'leave secrets out, to be entered again')
    .description('write everything that a tenant has into a file')
    .action(async (name: string, options: ExportArguments, command: Command) => {
      const invocation = open(command)
      const { print } = invocation
      const exported = await withProgress('exporting', invocation, progress =>
        runExport(invocation, name, options, progress),
      )
      print.show(exported, () => `${exported.rows} rows of ${exported.tenant.name} are in ${exported.file}.`)
    })

  program
    .command('import')
    .argument('<file>', 'file that carillon export has written')
    .option('--passphrase-file <file>', 'holds the passphrase of its secrets; - for stdin')
    .option('--as <name>', 'give the tenant another name and a new id')
    .description('add a tenant from a file; it sends nothing until it is resumed')
    .action(async (file: string, options: ImportArguments, command: Command) => {
      const invocation = open(command)
      const { print } = invocation
      const imported = await withProgress('importing', invocation, progress =>
        runImport(invocation, file, options, progress),
      )
      const { tenant, rows, missing_secrets } = imported
      print.show(imported, () =>
        [
          `${rows} rows are here as the tenant ${tenant.name} (${tenant.id}).`,
          ...missing_secrets.map(
            ({ table, id, name: what }) => `Enter its secrets again: ${table} ${id} ${what}`,
          ),
          `It is suspended: make sure that the other one sends nothing more, then run: carillon tenants resume ${tenant.id}`,
        ].join('\n'),
      )
    })
}

interface ExportArguments {
  to: string
  passphraseFile?: string
  withoutSecrets?: boolean
}

interface ImportArguments {
  passphraseFile?: string
  as?: string
}

type OnProgress = (done: number, total: number) => void

async function runExport(
  invocation: Invocation,
  name: string,
  { to, passphraseFile, withoutSecrets }: ExportArguments,
  onProgress: OnProgress,
) {
  const { newBox } = await import('../../platform/secrets/passphrase.ts')
  if (passphraseFile === undefined && !withoutSecrets)
    throw new Error(
      'Secrets of providers and webhooks leave this instance only encrypted: give --passphrase-file <file> to take them along, or --without-secrets to enter them again.',
    )
  const box =
    passphraseFile === undefined ? undefined : await newBox(await passphraseOf(invocation, passphraseFile))
  const { exportTenant } = await import('../../operations/exports/export-tenant.ts')
  return withInstance(invocation, async ({ client, keyring, release }) => {
    const { id, name: found, suspended_at, deletion } = await tenantNamed(client, name)
    if (deletion?.started_at) throw new Error(`The tenant ${found} is being deleted, and no longer whole.`)
    if (suspended_at === null)
      invocation.print.remark(
        `The tenant ${found} is not suspended: it goes on sending what the file has as well, and what it accepts from now on is not in the file. To move it, run first: carillon tenants suspend ${id}`,
      )
    const tenant = { id, name: found }
    const { recordChange } = await import('../../oversight/audit-logs/audit-logs.ts')
    const now = new Date()
    const exported = await exportTenant(client, {
      tenant,
      path: to,
      release: release.number,
      keyring,
      box,
      onProgress,
      now,
    })
    await recordChange(client, id, { type: 'tenant', id, action: 'export', after: { rows: exported.rows } })
    return { tenant, file: to, ...exported }
  })
}

async function runImport(
  invocation: Invocation,
  path: string,
  { passphraseFile, as }: ImportArguments,
  onProgress: OnProgress,
) {
  const { importTenant } = await import('../../operations/exports/import-tenant.ts')
  const passphrase = async () => {
    if (passphraseFile !== undefined) return passphraseOf(invocation, passphraseFile)
    throw new Error(
      'The file has secrets: give --passphrase-file <file> with the passphrase it was written with.',
    )
  }
  return withInstance(invocation, ({ client, keyring, release }) =>
    importTenant(client, { path, release, keyring, passphrase, as, onProgress }),
  )
}

/** A last line feed is the editor's, not the passphrase's. */
async function passphraseOf({ terminal }: Invocation, file: string): Promise<string> {
  const text = file === '-' ? await terminal.readStdin() : await readFile(file, 'utf8')
  return text.replace(/\r?\n$/, '')
}

async function withProgress<T>(
  what: string,
  { terminal, print }: Invocation,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const progress = startProgress(what, terminal, print)
  try {
    return await work(progress.update)
  } finally {
    progress.stop()
  }
}

/** Imported when needed: commands that only use HTTP should not pay for loading the database code. */
async function withInstance<T>(
  { terminal, print }: Invocation,
  work: (instance: Instance) => Promise<T>,
): Promise<T> {
  const { openInstance } = await import('./open-instance.ts')
  const instance = await openInstance(loadConfig(terminal.environment), print.remark)
  try {
    return await work(instance)
  } finally {
    await instance.close()
  }
}

type Instance = Awaited<ReturnType<typeof import('./open-instance.ts')['openInstance']>>

async function tenantNamed(client: Instance['client'], name: string) {
  const { findTenantByName } = await import('../../oversight/tenants/tenants.ts')
  const { findTenant } = await import('../../oversight/tenants/operators.ts')
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)
  const tenant = isId ? await findTenant(client, name) : await findTenantByName(client, name)
  if (tenant === undefined) throw new Error(`There is no tenant ${name}.`)
  return tenant
}
