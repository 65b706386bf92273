/** What a gate is asked, and what it may answer. */
import type { ClaimedRoute } from '../routes/claim.ts'
import type { NextDigest } from './next-digest.ts'
import type { Obstacle } from './obstacle.ts'

export interface Question {
  route: ClaimedRoute
  now: Date
  /** When the person wants this together with what else comes until then; undefined: by itself. */
  nextDigest: NextDigest | undefined
}

/** What is known of a route that may be sent. */
export interface Passed {
  kind: 'pass'
  /** A digest's own, once it is closed. */
  payload_json: string
  /** The day whose cap counts it; null without a cap. */
  countedDay: string | null
}

/** undefined lets it pass; `pass` does so too, and adds to what is known. */
export type Answer = Obstacle | ({ kind: 'pass' } & Partial<Passed>) | undefined

/** A gate that has to ask the database gives a promise; what is asked at the same time becomes one statement. */
export type Gate = (question: Question) => Answer | Promise<Answer>
