import { expect, it } from 'vitest'
import type { Pool } from '../../platform/database/pool.ts'
import { aMessage } from '../../providers/services/message.fixture.ts'
import { createInboxWriter } from './notifications.ts'

it('while the database is away a batch fails as one, and does not hold up the channel one by one', async () => {
  let statements = 0
  const away = {
    query: async () => {
      statements++
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    },
  } as unknown as Pool
  const write = createInboxWriter(away)
  const written = await Promise.allSettled(Array.from({ length: 100 }, () => write(aMessage())))
  expect(written.map(({ status }) => status)).toEqual(written.map(() => 'rejected'))
  expect(statements).toBe(1)
})
