/** One kind of fault: how it is injected, and what else must hold when it is over. */
import type { Settings } from '../carillon-process.ts'
import type { Stage } from './stage.ts'

export interface FaultKind {
  name: string
  /** For the reader of the table. */
  what: string
  /** Settings of every process, besides the usual ones. */
  settings?: (stage: Stage) => Settings
  /** Why it cannot be injected on this machine; undefined when it can. */
  obstacle?: () => string | undefined
  /** Starts what the round needs; one process with all roles unless given. */
  start?: (stage: Stage) => Promise<void>
  /** Intents per second while faults are injected. */
  perSecond?: number
  /** How long the producer waits for an answer. */
  producerTimeoutMs?: number
  /** Injects faults under load. Returns how many. */
  inject: (stage: Stage) => Promise<number>
  /** What else is wrong in the end, one line each. */
  check?: (stage: Stage) => Promise<string[]> | string[]
}

/** One after the other on the same stage, for tests that cannot afford a stage for each. */
export function inOneRound(kinds: FaultKind[]): FaultKind {
  const start = kinds.find(kind => kind.start !== undefined)?.start
  return {
    name: kinds.map(({ name }) => name).join(', '),
    what: kinds.map(({ what }) => what).join('; '),
    settings: stage => Object.assign({}, ...kinds.map(kind => kind.settings?.(stage))),
    ...(start !== undefined && { start }),
    // Enough for something to be under way at each fault, and what each intent leads to costs the most.
    perSecond: 30,
    async inject(stage) {
      let injected = 0
      for (const kind of kinds) injected += await kind.inject(stage)
      return injected
    },
    async check(stage) {
      return (await Promise.all(kinds.map(kind => kind.check?.(stage) ?? []))).flat()
    },
  }
}
