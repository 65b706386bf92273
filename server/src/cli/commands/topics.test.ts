import { expect, test } from 'vitest'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'

const at = '2026-01-31T12:00:00.000Z'
const topic = {
  topic: 'shop',
  title: 'The shop',
  url: '',
  visibility: 'private',
  created_at: at,
  updated_at: at,
}
const watch = {
  topic: 'shop',
  user_id: 'ada',
  level: 'ignore',
  kinds: ['paid'],
  is_automatic: false,
  updated_at: at,
}
const subscription = {
  ...{
    thread_kind: 'issue',
    thread_id: '7',
    user_id: 'ada',
    subscribed: false,
    reason: 'manual_unsubscribe',
  },
  ...{ created_at: at, updated_at: at },
}

test('topics are put and listed', async () => {
  const api = await startFakeApi({
    'PUT /v1/topics/shop': () => ({ status: 200, body: topic }),
    'GET /v1/topics': () => ({ status: 200, body: { data: [topic], next_cursor: null } }),
  })
  const put = await carillon(api.url, ['topics', 'put', 'shop', '--title', 'The shop', '--private'])
  expect(put).toMatchObject({ code: 0, stdout: '✓ shop is private\n' })
  expect(api.calls[0]).toEqual(['PUT /v1/topics/shop', { title: 'The shop', visibility: 'private' }])
  expect((await carillon(api.url, ['topics'])).stdout).toContain('The shop')
})

test('watch sets a level and kinds', async () => {
  const api = await startFakeApi({ 'PUT /v1/topics/shop/watch': () => ({ status: 200, body: watch }) })
  const outcome = await carillon(api.url, ['watch', 'shop', 'ada', '--level', 'ignore', '--kinds', 'paid'])
  expect(outcome).toMatchObject({ code: 0, stdout: '✓ ada watches at level ignore\n' })
  expect(api.calls).toEqual([
    ['PUT /v1/topics/shop/watch', { user_id: 'ada', level: 'ignore', kinds: ['paid'] }],
  ])
  const misuse = await carillon(api.url, ['watch', 'shop', 'ada', '--level', 'loud'])
  expect(misuse).toMatchObject({ code: 2, stdout: '' })
})

test('threads are left, and list who follows them', async () => {
  const api = await startFakeApi({
    'PUT /v1/threads/issue/7/subscription': () => ({ status: 200, body: subscription }),
    'GET /v1/threads/issue/7/subscriptions': () => ({
      status: 200,
      body: { data: [subscription], next_cursor: null },
    }),
  })
  expect((await carillon(api.url, ['threads', 'leave', 'issue', '7', 'ada'])).stdout).toBe('✓ ada left it\n')
  expect(api.calls[0]).toEqual([
    'PUT /v1/threads/issue/7/subscription',
    { user_id: 'ada', subscribed: false },
  ])
  const followers = await carillon(api.url, ['threads', 'followers', 'issue', '7'])
  expect(followers.stdout).toContain('manual_unsubscribe')
})
