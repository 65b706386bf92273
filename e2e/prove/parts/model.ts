/** Fan-out compared with its reference model. */
import type { Part } from '../part.ts'
import { runVitest } from '../vitest-run.ts'

/** Sequences of a round, and actions of a sequence, as in reference-model.prove.ts. */
const SEQUENCES = 50
const ACTIONS = 500

export const model: Part = {
  name: 'model',
  proves:
    'random sequences of events, watches and choices end in the inboxes and mails that a reference model says',
  minutes: 3,
  rounds: 10,
  longestRoundMinutes: 10,
  async *run({ rounds, seed, scratch }) {
    let next = seed
    for await (const line of runVitest({
      args: ['--config=vitest.prove.config.ts', 'reference-model'],
      env: { CARILLON_PROVE_ROUNDS: String(rounds), CARILLON_PROVE_SEED: String(seed) },
      scratch,
    })) {
      if (line.kind !== 'test' && line.errors.length === 0) continue
      yield {
        what: 'compared with the reference model',
        counts: { sequences: SEQUENCES, actions: SEQUENCES * ACTIONS },
        violations: line.errors,
        again: `model --seed ${next}`,
      }
      next += SEQUENCES
    }
  },
}
