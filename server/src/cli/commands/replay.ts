/** Replays dead letters: given ids one by one, or all that match, page by page. */
import type { DeadLetter, DeadLetterFilter, ReplayAnswer } from '@carillon/contract'
import { CarillonError } from '@carillon/sdk'
import { describeFailure, type Failure, renderFailure } from '../failure.ts'
import type { Invocation } from '../invocation.ts'
import { stderrColors } from '../output/colors.ts'
import { startProgress } from '../output/progress.ts'

/** Small enough to keep the progress bar moving and transactions short. */
const PAGE_SIZE = 500

interface FailedReplay {
  id: string
  error: Failure
}

/** Tries every id: one that is unknown or already resolved does not keep the others from being replayed. */
export async function replayEach(invocation: Invocation, ids: string[]): Promise<void> {
  const { connect, endWithFailure } = invocation
  const client = connect()
  const replayed: DeadLetter[] = []
  const failed: FailedReplay[] = []
  try {
    for (const id of ids) {
      try {
        replayed.push(await client.deadLetters.replay(id))
      } catch (error) {
        if (!isAboutThisLetter(error)) throw error
        failed.push({ id, error: describeFailure(error) })
      }
    }
  } finally {
    showReplayed(invocation, replayed, failed)
  }
  if (failed.length > 0) endWithFailure()
}

/**
 * Counts first and replays at most that many: a route that fails again at once leaves a new dead letter that matches
 * the same filter, and must not keep the loop going.
 */
export async function replayAll(
  invocation: Invocation,
  filter: DeadLetterFilter,
  dryRun: boolean,
): Promise<void> {
  const { connect, print, terminal, limit = Number.POSITIVE_INFINITY } = invocation
  const client = connect()
  const count = await client.deadLetters.replayAll({ filter, dry_run: true })
  const total = Math.min(count.matched, limit)
  if (dryRun) {
    print.show(count, () => `${total} of ${count.matched} would be sent again`)
    return
  }

  const progress = startProgress('Replaying', terminal, print)
  const answer: ReplayAnswer = { ...count, dry_run: false, replayed: 0, remaining: count.matched }
  try {
    while (answer.replayed < total) {
      progress.update(answer.replayed, total)
      const limit = Math.min(PAGE_SIZE, total - answer.replayed)
      const page = await client.deadLetters.replayAll({ filter, limit })
      answer.replayed += page.replayed
      answer.remaining = page.remaining
      // Somebody else was faster, or the rest was resolved in the meantime.
      if (page.replayed === 0) break
    }
  } finally {
    progress.stop()
    const { green } = print.colors
    print.show(answer, () => `${green('✓')} ${answer.replayed} of ${answer.matched} will be sent again`)
  }
}

/** Shown even when the loop failed in the middle, because what was replayed by then will be sent. */
function showReplayed({ print, terminal }: Invocation, replayed: DeadLetter[], failed: FailedReplay[]): void {
  const { green } = print.colors
  if (print.json || replayed.length > 0) {
    const line = ({ id }: DeadLetter) => `${green('✓')} ${id} will be sent again`
    print.show([...replayed, ...failed], () => replayed.map(line).join('\n'))
  }
  if (print.json) return
  for (const { id, error } of failed) {
    const failure = { ...error, message: `${id}: ${error.message}` }
    terminal.stderr.write(renderFailure(failure, stderrColors(terminal)))
  }
}

/** Unknown or already resolved. Anything else, such as a wrong key, would affect the other dead letters too. */
function isAboutThisLetter(error: unknown): boolean {
  return error instanceof CarillonError && [400, 404, 409].includes(error.status)
}
