import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { aMessage } from '../../providers/services/message.fixture.ts'
import { createInboxWriter } from './notifications.ts'

const carillon = useCarillon()

beforeAll(() => carillon.putUser('ada'))

it('while the database is away a batch fails as a whole, and is not retried one by one', async () => {
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

describeColumns(carillon, {
  longest: [
    [
      'notifications.message',
      4096,
      `insert into notifications (id, tenant_id, user_id, record_id, route_id, type, title, message)
       values (gen_random_uuid(), $1, 'ada', gen_random_uuid(), 'r', 't', 't', $2)`,
    ],
  ],
})
