/**
 * Hashes of passwords: argon2id with the parameters that OWASP names. Each takes 19 MB and some 20 ms of a thread that names
 * are looked up and files are read with too, so only a few run at once, and of the rest only so many wait.
 */
import { hash, verify } from '@node-rs/argon2'
import { Refusal } from '../../platform/calls/refusal.ts'
import { createConcurrencyLimit } from '../../platform/queue/concurrency-limit.ts'

/** 2 is argon2id; the library's own constant is of a kind that modules cannot import. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const AT_ONCE = 2
const WAITING = 20
/** Of a password that nobody knows: whoever has no account must not be answered sooner. */
const NOBODYS =
  '$argon2id$v=19$m=19456,t=2,p=1$amnrpfu16es2e+V5LUQ1QQ$rz+vlcKB3JOTUt4KuVOix8niQ9YYWJ3uWK8H9HncIjM'

export interface Passwords {
  hash(password: string): Promise<string>
  /** Without a hash it takes as long, and is false. */
  isRight(password: string, stored: string | null | undefined): Promise<boolean>
}

export function createPasswords({ atOnce = AT_ONCE, waiting = WAITING } = {}): Passwords {
  const limit = createConcurrencyLimit(atOnce)
  let inHand = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (inHand >= atOnce + waiting)
      throw new Refusal('rate_limited', 'Too many people are signing in just now.', undefined, 2)
    inHand++
    try {
      return await limit.run(work)
    } finally {
      inHand--
    }
  }

  return {
    hash: password => inTurn(() => hash(password, PARAMETERS)),
    async isRight(password, stored) {
      const isSame = await inTurn(() => verify(stored ?? NOBODYS, password))
      return isSame && typeof stored === 'string'
    },
  }
}
