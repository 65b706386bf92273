/** Turns for reading mails: each takes a core and some memory, so a process reads a few at once, one of each tenant. */
import { Refusal } from '../../platform/calls/refusal.ts'
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../platform/queue/concurrency-limit.ts'
import { type ParsedMail, parseMail } from './parse-mail.ts'

export interface MailReader {
  read(tenantId: string, raw: Buffer): Promise<ParsedMail>
}

const MAX_AT_ONCE = 3
/** A mail that waits is kept in memory. */
const MAX_WAITING_OF_TENANT = 10

/** A tenant waits for its own turn first, so in the common queue everybody is there at most once, and comes soon. */
export function createMailReader(parse = parseMail): MailReader {
  const common = createConcurrencyLimit(MAX_AT_ONCE)
  const tenants = new Map<string, { turns: ConcurrencyLimit; present: number }>()

  return {
    async read(tenantId, raw) {
      const own = tenants.get(tenantId) ?? { turns: createConcurrencyLimit(1), present: 0 }
      if (own.present > MAX_WAITING_OF_TENANT)
        throw new Refusal('unavailable', 'Too many mails are waiting to be read. Send this one again.')
      tenants.set(tenantId, own)
      own.present++
      try {
        return await own.turns.run(() => common.run(() => parse(raw)))
      } finally {
        own.present--
        if (own.present === 0) tenants.delete(tenantId)
      }
    },
  }
}
