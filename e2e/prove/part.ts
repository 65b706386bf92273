/** What a part of the proof is: what it proves, in how many rounds, and what comes of each. */

export interface Part {
  name: string
  /** What is true when every round of it is ok, in plain words. */
  proves: string
  /** About how long the usual number of rounds takes on two cores. */
  minutes: number
  /** The usual number. */
  rounds: number
  /** A round that has not ended by then is broken off, and the part with it. */
  longestRoundMinutes: number
  /** What `--only` picks from. */
  pieces?: () => readonly string[]
  /** Yields each round when it has ended. */
  run(task: Task): AsyncGenerator<Round>
}

/** What the command line asks of a part. */
export interface Task {
  rounds: number
  /** Of the first round; the next one has the next number. */
  seed: number
  /** One piece of the part; undefined for all. */
  only: string | undefined
  /** A folder that is removed when the part is over. */
  scratch: string
}

export interface Round extends Outcome {
  /** What was done. */
  what: string
  /** The arguments that repeat this round alone. */
  again: string
}

export interface Outcome {
  /** How much was looked at, by its name in the plural. */
  counts: Record<string, number>
  /** Everything that does not hold, one line each; none means that the round is ok. */
  violations: string[]
  /** Why this machine cannot do it; then it proves nothing, and nothing is wrong. */
  obstacle?: string
  /** What led to the violations. */
  log?: string[]
}

/** Runs a round. One that breaks proves nothing, which is a violation too. */
export async function attempt(
  round: Pick<Round, 'what' | 'again'>,
  work: (log: (line: string) => void) => Promise<Outcome>,
): Promise<Round> {
  const log: string[] = []
  try {
    const outcome = await work(line => log.push(line))
    return { ...round, ...outcome, ...(outcome.violations.length > 0 && { log }) }
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { ...round, counts: {}, violations: [`broken off: ${reason}`], log }
  }
}

/** The seeds of the rounds of a task. */
export function seedsOf({ seed, rounds }: Task): number[] {
  return Array.from({ length: rounds }, (_, i) => seed + i)
}
