import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { aMessage } from '../../providers/services/message.fixture.ts'
import { inboxOf } from './inbox.fixture.ts'
import { createInboxWriter } from './notifications.ts'

const carillon = useCarillon()

beforeAll(() => carillon.putUser('ada'))

it('a batch of inbox rows fails as a whole while the database is away, with one statement', async () => {
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

describe('messages in the inbox', () => {
  const inbox = inboxOf(carillon)
  const write = (message: object) =>
    createInboxWriter(carillon.pool)(
      aMessage({ tenant_id: carillon.tenantId, user_id: 'ada', route_id: 'in_app:user:ada', ...message }),
    )
  const record = (n: number) => `0190000${n}-0000-7000-8000-000000000000`
  beforeEach(() => inbox.clear())

  it('a message shows its reason, address and buttons, and leaves out invalid ones', {
    tags: 'S004-8',
  }, async () => {
    const button = { id: 'ok', label: 'OK', url: null, event_kind: 'agreed' }
    await write({
      notification_id: record(1),
      reason: 'mention',
      topic: 'docs',
      payload: {
        url: 'https://example.com/1',
        icon: '/icon.png',
        actions: [{ id: 'ok', label: 'OK', event_kind: 'agreed' }],
      },
    })
    await write({ notification_id: record(2), payload: { url: 'javascript:alert(1)', actions: [{ id: 1 }] } })
    const [second, first] = await inbox.list('ada')
    expect(first).toMatchObject({
      notification_id: record(1),
      reason: 'mention',
      topic: 'docs',
      url: 'https://example.com/1',
      summary: { icon: '/icon.png' },
      actions: [button],
    })
    expect(second).toMatchObject({ url: null, actions: [], summary: {} })
  })

  it('a message that is delivered again changes nothing, read or not', async () => {
    await write({ notification_id: record(1) })
    const [{ id }] = await inbox.list('ada')
    const read = (await inbox.post('ada', `/${id}/read`)).body
    await write({ notification_id: record(1) })
    expect(await inbox.list('ada')).toEqual([read])
  })

  it('a message about a thread joins its row, once', {
    tags: 'S001-1',
  }, async () => {
    const thread = { kind: 'issue', id: '7' }
    await inbox.event(1, ['ada'], { thread_kind: 'issue', thread_id: '7', topic: 'docs' })
    const writeOne = createInboxWriter(carillon.pool)
    const about = (n: number, subject: string) =>
      aMessage({
        tenant_id: carillon.tenantId,
        user_id: 'ada',
        route_id: 'in_app:user:ada',
        notification_id: record(n),
        subject,
        thread,
      })
    // One at once, so that the next three are a batch.
    await Promise.all(
      [about(1, 'first'), about(4, 'last'), about(3, 'between'), about(4, 'last')].map(writeOne),
    )
    const [row, ...others] = await inbox.list('ada')
    expect(others).toEqual([])
    expect(row).toMatchObject({ title: 'last', topic: 'docs', event_count: 4, notification_id: record(4) })
    const read = (await inbox.post('ada', `/${row.id}/read`)).body
    await Promise.all([about(4, 'last'), about(1, 'first'), about(3, 'between')].map(writeOne))
    expect(await inbox.list('ada')).toEqual([read])
    // It was to be sent later than those that were accepted after it.
    await writeOne(about(2, 'late'))
    expect(await inbox.list('ada')).toMatchObject([{ title: 'late', event_count: 5, is_read: false }])
    await Promise.all([about(4, 'last'), about(2, 'late')].map(writeOne))
    expect(await inbox.list('ada')).toMatchObject([{ title: 'late', event_count: 5 }])
  })
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
