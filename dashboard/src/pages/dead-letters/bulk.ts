/** Replaying or ignoring many: counted first, then in steps that can be stopped between. */
import type { DeadLetterFilter } from '@carillon/contract'
import type { Client } from '@carillon/sdk'

type Letters = Client['deadLetters']
export type Verb = 'replay' | 'ignore'
export type Target = { filter: DeadLetterFilter } | { ids: readonly string[] }

export interface Progress {
  total: number
  done: number
  /** What was answered for those that could not be changed. */
  refusals: unknown[]
}

const STEP = 500

/** How many it would be. */
export async function countMatching(
  letters: Letters,
  verb: Verb,
  target: Target,
  signal: AbortSignal,
): Promise<number> {
  if ('ids' in target) return target.ids.length
  const request = { filter: target.filter, dry_run: true }
  const answer =
    verb === 'replay'
      ? await letters.replayAll(request, { signal })
      : await letters.resolveAll(request, { signal })
  return answer.matched
}

/** Does no more than were counted: a letter that fails again meanwhile would match, and be sent for ever. */
export async function runBulk(
  letters: Letters,
  verb: Verb,
  target: Target,
  total: number,
  hear: (progress: Progress) => void,
  isStopped: () => boolean,
): Promise<Progress> {
  let progress: Progress = { total, done: 0, refusals: [] }
  const tell = (changes: Partial<Progress>) => {
    progress = { ...progress, ...changes }
    hear(progress)
  }
  if ('ids' in target) {
    for (const id of target.ids) {
      if (isStopped()) break
      try {
        await one(letters, verb, id)
        tell({ done: progress.done + 1 })
      } catch (error) {
        tell({ refusals: [...progress.refusals, error] })
      }
    }
    return progress
  }
  while (progress.done < total && !isStopped()) {
    const { changed, remaining } = await step(
      letters,
      verb,
      target.filter,
      Math.min(STEP, total - progress.done),
    )
    tell({ done: progress.done + changed })
    if (changed === 0 || remaining === 0) break
  }
  return progress
}

const one = (letters: Letters, verb: Verb, id: string) =>
  verb === 'replay' ? letters.replay(id) : letters.resolve(id)

async function step(letters: Letters, verb: Verb, filter: DeadLetterFilter, limit: number) {
  if (verb === 'replay') {
    const { replayed, remaining } = await letters.replayAll({ filter, limit })
    return { changed: replayed, remaining }
  }
  const { resolved, remaining } = await letters.resolveAll({ filter, limit })
  return { changed: resolved, remaining }
}
