/** What the doctor looks at, and how a check says what it found. */
import type { Finding, HealthState } from '@carillon/contract'
import type { Config } from '../../platform/config/config.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { AddressGuard } from '../../platform/outgoing/address-guard.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { environmentAddresses, type ProviderAddress } from '../../providers/provider-configs/reachability.ts'

export interface Patient {
  pool: Pool
  /** undefined where this machine has no master key. */
  keyring: Keyring | undefined
  guard: AddressGuard
  dataDir: string
  /** The database's files are in the data folder. */
  isEmbedded: boolean
  /** '' without Redis. */
  redisUrl: string
  /** Where the providers from the environment send to. */
  environment: ProviderAddress[]
  /** By this machine's clock. */
  now: () => number
}

/** As the settings describe it; clocks are compared with this machine's. */
export function patientOf(config: Config, parts: Pick<Patient, 'pool' | 'keyring' | 'guard'>): Patient {
  return {
    ...parts,
    dataDir: config.dataDir,
    isEmbedded: config.DATABASE_URL === '',
    redisUrl: config.REDIS_URL,
    environment: environmentAddresses(config),
    now: Date.now,
  }
}

export type Verdict = Omit<Finding, 'check'>

export interface Check {
  name: string
  look(patient: Patient): Promise<Verdict | Verdict[]>
}

export const fine = (summary: string): Verdict => ({ status: 'ok', summary, advice: null })
export const warn = (summary: string, advice: string): Verdict => ({ status: 'warn', summary, advice })
export const bad = (summary: string, advice: string): Verdict => ({ status: 'bad', summary, advice })

/** `bad` from one limit on, `warn` from the other. */
export function graded(
  value: number,
  limits: { warn: number; bad: number },
  summary: string,
  advice: string,
): Verdict {
  const status: HealthState = value >= limits.bad ? 'bad' : value >= limits.warn ? 'warn' : 'ok'
  return { status, summary, advice: status === 'ok' ? null : advice }
}

export function spanOf(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

export function sizeOf(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)))
  return `${(bytes / 1024 ** step).toFixed(step > 2 ? 1 : 0)} ${UNITS[step]}`
}
