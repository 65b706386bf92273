/** Examines an instance: every check on its own, so that one that fails or hangs does not hide the others. */
import { type Examination, type Finding, HEALTH_STATES } from '@carillon/contract'
import { clock, connections, release, server, transactions, vacuum } from './database-checks.ts'
import { disk, masterKey, redis, timeZones } from './machine-checks.ts'
import type { Check, Patient, Verdict } from './patient.ts'
import { warn } from './patient.ts'
import { invariants, providers, queues, workers } from './work-checks.ts'

const CHECKS: Check[] = [
  ...[release, server, connections, transactions, vacuum, clock, timeZones, disk, masterKey, redis],
  ...[queues, workers, providers, invariants],
]
/** Fifty providers that do not answer take this long. */
const LIMIT_MS = 20_000

export async function examine(patient: Patient, checks = CHECKS, limitMs = LIMIT_MS): Promise<Examination> {
  const findings: Finding[] = []
  for (const check of checks) {
    const verdicts = await within(limitMs, check, patient)
    for (const verdict of [verdicts].flat()) findings.push({ check: check.name, ...verdict })
  }
  const worst = Math.max(...findings.map(({ status }) => HEALTH_STATES.indexOf(status)))
  return {
    status: HEALTH_STATES[worst] ?? 'ok',
    examined_at: new Date(patient.now()).toISOString(),
    findings,
  }
}

async function within(limitMs: number, check: Check, patient: Patient): Promise<Verdict | Verdict[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} seconds`)), limitMs)
  })
  try {
    return await Promise.race([check.look(patient), late])
  } catch (error) {
    return warn(
      `This could not be looked at: ${(error as Error).message}`,
      'Look at it by hand, and try again.',
    )
  } finally {
    clearTimeout(timer)
  }
}
