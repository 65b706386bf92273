/** Compares what the producers know with what the database and the receivers have. */
import type { Arrivals } from './arrivals.ts'
import type { Leftovers, StoredRecord } from './database.ts'
import type { Plan } from './plan.ts'
import type { Sending } from './producer.ts'

/** Every violation, one line each; none means that nothing was lost, duplicated or left behind. */
export function findViolations(
  sendings: Sending[],
  records: StoredRecord[],
  leftovers: Leftovers,
  arrivals: Arrivals,
): string[] {
  return [
    ...checkSendings(sendings, records),
    ...Object.entries(leftovers).flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`])),
    ...arrivals.lost,
    ...arrivals.duplicated,
  ]
}

function checkSendings(sendings: Sending[], records: StoredRecord[]): string[] {
  const byKey = new Map<string, StoredRecord[]>()
  for (const record of records) {
    byKey.set(record.idempotency_key, [...(byKey.get(record.idempotency_key) ?? []), record])
  }
  const known = new Set(sendings.map(({ plan }) => plan.key))
  const strangers = records.filter(record => !known.has(record.idempotency_key))
  return [
    ...sendings.flatMap(sending => checkSending(sending, byKey.get(sending.plan.key) ?? [])),
    ...strangers.map(({ idempotency_key }) => `a record nobody sent: ${idempotency_key}`),
  ]
}

function checkSending({ plan, refusal, ids }: Sending, records: StoredRecord[]): string[] {
  if (refusal !== undefined) return [`${plan.key} was refused: ${refusal}`]
  const [record] = records
  if (record === undefined) return [`${plan.key} was acknowledged but has no record`]
  const problems: string[] = []
  if (records.length > 1) problems.push(`${plan.key} has ${records.length} records`)
  if (ids.size !== 1 || !ids.has(record.notification_id)) {
    problems.push(
      `${plan.key} was answered with ${[...ids].join(' and ')}, but its record is ${record.notification_id}`,
    )
  }
  if (!record.is_expanded) problems.push(`${plan.key} is not expanded`)
  if (record.unsent > 0) problems.push(`${plan.key} has ${record.unsent} routes that were not sent`)
  if (!haveSameCounts(plan.routes, record.routes)) {
    problems.push(
      `${plan.key} should have the routes ${JSON.stringify(plan.routes)}, but has ${JSON.stringify(record.routes)}`,
    )
  }
  return problems
}

function haveSameCounts(wanted: Plan['routes'], found: Plan['routes']): boolean {
  const channels = new Set([...Object.keys(wanted), ...Object.keys(found)]) as Set<keyof Plan['routes']>
  return [...channels].every(channel => wanted[channel] === found[channel])
}
