/** The release that a tree makes: the one before while nothing changed, else the next number. */
import { hashOf, type Release, type Sources } from '../platform/database/release.ts'

/** server/release.json */
export interface ReleaseFile extends Release {
  /** The newest migration that older processes cannot live with; '' when there is none. */
  breaking: string
  /** Every function with its arguments and result. */
  functions: string[]
}

/** A released function has other arguments or columns now; processes of the release before still call it. */
export class ChangedFunctionError extends Error {}

export function nextRelease(
  before: ReleaseFile | undefined,
  sources: Sources,
  functions: string[],
): ReleaseFile {
  const hash = hashOf(sources)
  if (before?.hash === hash) return { ...before, functions }
  refuseChanged(before?.functions ?? [], functions)
  const number = (before?.number ?? 0) + 1
  const breaking = newestBreaking(sources)
  const isBreaking = before === undefined || breaking !== before.breaking
  return {
    number,
    compatible_since: isBreaking ? number : before.compatible_since,
    hash,
    breaking,
    functions,
  }
}

/** As server/schema.sql has them. */
export function functionsIn(schema: string): string[] {
  return [...schema.matchAll(/^-- (\w+\(.*\) → .*)$/gm)].map(([, signature]) => signature!).sort()
}

/** A migration says so itself, in a line of its own: `-- Breaking: why`. */
function newestBreaking({ migrations }: Sources): string {
  return migrations.findLast(({ text }) => /^-- Breaking: \S/m.test(text))?.file ?? ''
}

function refuseChanged(before: string[], now: string[]): void {
  const nameOf = (signature: string) => signature.slice(0, signature.indexOf('('))
  const names = new Set(now.map(nameOf))
  const changed = before.filter(signature => names.has(nameOf(signature)) && !now.includes(signature))
  if (changed.length === 0) return
  throw new ChangedFunctionError(
    [
      'Processes of the release before still call these with the arguments and columns they had:',
      ...changed.map(signature => `  ${signature}`),
      'Leave them as they are and give the new ones another name, or put what is new into a jsonb argument.',
      'If no other branch has them yet, take server/release.json from there and run this again.',
    ].join('\n'),
  )
}
