/** Replays dead letters: the named ones one by one, or all that fit in pages. */
import type { DeadLetter, DeadLetterFilter, ReplayAnswer } from '@carillon/contract'
import { CarillonError } from '@carillon/sdk'
import { describeFailure, type Failure, renderFailure } from '../failure.ts'
import type { Invocation } from '../invocation.ts'
import { stderrColors } from '../output/colors.ts'
import { startProgress } from '../output/progress.ts'

/** Small enough that the bar moves and no transaction is long. */
const PAGE = 500

interface FailedReplay {
  id: string
  error: Failure
}

/** Every id gets its try; one that is unknown or resolved already does not keep the others from being replayed. */
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
 * Counts first and replays at most that many: a letter that dies again at once is a new letter that fits the same
 * filter, and must not keep the loop going.
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
      const limit = Math.min(PAGE, total - answer.replayed)
      const page = await client.deadLetters.replayAll({ filter, limit })
      answer.replayed += page.replayed
      answer.remaining = page.remaining
      // Somebody else was faster, or the rest was resolved meanwhile.
      if (page.replayed === 0) break
    }
  } finally {
    progress.stop()
    const { green } = print.colors
    print.show(answer, () => `${green('✓')} ${answer.replayed} of ${answer.matched} are sent again`)
  }
}

/** Shown also when the loop broke off in the middle: what was sent again was sent again. */
function showReplayed({ print, terminal }: Invocation, replayed: DeadLetter[], failed: FailedReplay[]): void {
  const { green } = print.colors
  if (print.json || replayed.length > 0) {
    const line = ({ id }: DeadLetter) => `${green('✓')} ${id} is sent again`
    print.show([...replayed, ...failed], () => replayed.map(line).join('\n'))
  }
  if (print.json) return
  for (const { id, error } of failed) {
    const failure = { ...error, message: `${id}: ${error.message}` }
    terminal.stderr.write(renderFailure(failure, stderrColors(terminal)))
  }
}

/** Unknown or resolved already. Anything else, such as a wrong key, would meet the other letters too. */
function isAboutThisLetter(error: unknown): boolean {
  return error instanceof CarillonError && [400, 404, 409].includes(error.status)
}
