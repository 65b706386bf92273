/** What a gate is asked, and what it may answer. */
import type { CountedPeriod } from '../../people/caps/count-capped-sends.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { NextDigest } from './next-digest.ts'
import type { Obstacle } from './obstacle.ts'

export interface Question {
  route: ClaimedRoute
  now: Date
  /** The person's next digest for this category; undefined when they want the message by itself. */
  nextDigest: NextDigest | undefined
  /** When a simulated message would be at the gates; undefined in delivery, where the database's clock decides. */
  simulatedAt: Date | undefined
}

/** What the gates found out about a route that may be sent. */
export interface Passed {
  kind: 'pass'
  /** The route's own; for a digest, what closing it gave. */
  payload_json: string
  /** The local day whose cap counts it; null without a cap. */
  countedDay: string | null
  /** The other periods whose caps count it. */
  countedIn: CountedPeriod[]
  /** The email log counts it already. */
  isReserved: boolean
  /** What the attempt says about it besides; usually ''. */
  note: string
  /** The devices that an earlier attempt has reached. */
  reachedDevices: string[]
}

/** An obstacle, and the caps that have counted the route before it came to that: they must not count it. */
export type Held = Obstacle & Pick<Passed, 'countedDay' | 'countedIn'>

/** undefined lets it pass; so does `pass`, which also adds to what is known. */
export type Answer = Obstacle | ({ kind: 'pass' } & Partial<Passed>) | undefined

/** A gate that asks the database returns a promise; questions asked at the same time become one statement. */
export type Gate = (question: Question) => Answer | Promise<Answer>
