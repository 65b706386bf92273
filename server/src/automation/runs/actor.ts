/** As whom a run acts: whoever registered its trigger, or invoked its script. Who caused the event is only remembered. */
import type { Scope } from '@carillon/contract'
import { type Acting, defaultProducer, mayProduceAs, originOf } from '../../platform/calls/principal.ts'

export interface Actor {
  /** `user:` or `api_key:`, and the id. */
  ranAs: string
  /** As the messages of forbidden calls name it. */
  who: string
  scopes: Scope[]
  defaultProducer: string
  allowsProducer(producer: string): boolean
}

/** `snapshot` is what they were allowed to do when they registered the trigger, or invoked the script. */
export function actorOf(who: string, snapshot: Acting): Actor {
  return {
    ranAs: originOf(snapshot),
    who,
    scopes: snapshot.scopes,
    defaultProducer: defaultProducer(snapshot),
    allowsProducer: producer => mayProduceAs(snapshot, producer),
  }
}
