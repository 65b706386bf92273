/** Which test files run first, and which get a process of their own. */
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What these measure or change belongs to the whole process: its memory, threads, warnings, environment or time zone. */
export const IN_OWN_PROCESS = [
  'server/src/content/liquid/dates.test.ts',
  'server/src/delivery/attempts/shared-signal.test.ts',
  'server/src/platform/backups/backups.test.ts',
  'server/src/platform/config/utc.test.ts',
  'server/src/platform/embedded-database/*.test.ts',
  'server/src/platform/outgoing/deadline.test.ts',
  'server/src/platform/sandbox/*.test.ts',
]

/** Ten seconds or more, longest first: a long file that began last would run alone in the end. */
const LONGEST = [
  'e2e/docs.test.ts',
  'e2e/roles.test.ts',
  'e2e/beside-running.test.ts',
  'e2e/browser/dashboard-hard.test.ts',
  'e2e/fault-rounds.test.ts',
  'e2e/pooler.test.ts',
  'e2e/refused-start.test.ts',
  'e2e/kill-rounds.test.ts',
  'e2e/first-run.test.ts',
  'e2e/browser/inbox-list.test.ts',
  'e2e/browser/dashboard-pages.test.ts',
  'e2e/browser/inbox-client.test.ts',
  'e2e/stream-rounds.test.ts',
  'e2e/events.test.ts',
  'e2e/browser/playground.test.ts',
  'e2e/browser/dashboard-story.test.ts',
  'e2e/monitoring.test.ts',
  'e2e/browser/inbox-page.test.ts',
  'e2e/browser/inbox-notices.test.ts',
  // Fills the database that all tests of plans copy.
  'server/src/automation/invocations/plans.test.ts',
  'server/src/platform/backups/backups.test.ts',
  'server/src/platform/embedded-database/embedded.test.ts',
  'server/src/platform/database/upgrades.test.ts',
  'server/src/platform/sandbox/hostile.test.ts',
  'server/src/operations/backups/schedule.test.ts',
  'server/src/delivery/attempts/fairness.test.ts',
  'server/src/intake/intents/crowded.test.ts',
  'server/src/api.isolation.test.ts',
  'server/src/operations/simulation/as-told.test.ts',
  'server/src/intake/intents/shape.test.ts',
  'server/src/platform/database/restricted-role.test.ts',
  'server/src/intake/streams/nats-streams.test.ts',
  'server/src/operations/exports/refused-files.test.ts',
  'server/src/intake/streams/redis-streams.test.ts',
  'server/src/events/replies/replies.test.ts',
  'server/src/automation/runs/once.test.ts',
  'server/src/platform/database/migrate-down.test.ts',
  'server/src/inbox/live/stream.test.ts',
  'server/src/platform/database/migrate.test.ts',
  'server/src/operations/simulation/as-delivered.test.ts',
  'server/src/operations/invariants/reconciler.test.ts',
]

/** They wait for the database that one of them fills, so the others come last, when it is full. */
const OF_PLANS = /plans\.test\.ts$/

/**
 * One project after the other, whose files may share a process: whole processes and browsers, which take longest, then those
 * that need a process of their own. In each, the long ones come first.
 */
const PROJECTS = ['whole', 'apart', 'together', 'prove']

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.filter(path => !existsSync(`${root}${path}`))
    if (gone.length > 0) throw new Error(`server/test/order.ts names files that are gone: ${gone.join(', ')}`)
    return files
      .map(file => ({ file, place: placeOf(file) }))
      .sort((a, b) => a.place - b.place)
      .map(({ file }) => file)
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  const place = LONGEST.indexOf(relative(root, moduleId))
  const amongOthers = LONGEST.length + (OF_PLANS.test(moduleId) ? 1 : 0)
  return PROJECTS.indexOf(project.name) * 1000 + (place === -1 ? amongOthers : place)
}
