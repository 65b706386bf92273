import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '../server/test/database.ts'
import { canStartNats } from '../server/test/nats.ts'
import { canStartRedis } from '../server/test/redis.ts'
import { runStreamRounds } from './stream-rounds.ts'

// `npm run prove -- streams` has 10,000 entries of each, three times, and kills a second reader.
test.skipIf(!canStartRedis || !canStartNats)(
  'kill -9 of a reader, of Redis and of the leader of three NATS servers: each entry is one record or one malformed row',
  { tags: ['S000-2', 'S000-3', 'S000-28'], timeout: 240_000 },
  async () => {
    const database = await createTestDatabase()
    const log: string[] = []
    try {
      const { counts, violations } = await runStreamRounds({
        entries: 200,
        databaseUrl: database.url,
        parentDir: inject('scratchDir'),
        log: line => log.push(line),
      })
      expect(violations, `${log.join('\n')}\n${JSON.stringify(counts, null, 2)}`).toEqual([])
      expect(counts).toMatchObject({ 'nats records': 195, 'nats malformed rows': 5, 'redis records': 195 })
    } finally {
      await database.drop()
    }
  },
)
