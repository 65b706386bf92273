/** Calls that change topics, threads, who takes part in them and who follows them. */
import type { TestCarillon } from '../carillon.ts'
import { type Calls, put } from './call.ts'

export function threadCalls(carillon: TestCarillon): Calls {
  const addThread = async (id: string) => {
    await carillon.putUser('ada')
    // It would be asked whether people may see the thread.
    await carillon.request('DELETE', '/v1/visibility-check')
    await put(carillon, `/v1/threads/issue/${id}`, { topic: 'rust' })
  }
  return {
    'PUT /v1/topics/{topic}': () => ({
      path: '/v1/topics/erlang',
      options: { body: { title: 'Erlang' } },
      row: () => ['create', 'topic', 'erlang'],
    }),
    'PATCH /v1/topics/{topic}': async () => {
      await put(carillon, '/v1/topics/elixir', {})
      const options = { body: { visibility: 'private' } }
      return { path: '/v1/topics/elixir', options, row: () => ['update', 'topic', 'elixir'] }
    },
    'DELETE /v1/topics/{topic}': async () => {
      await put(carillon, '/v1/topics/forth', {})
      return { path: '/v1/topics/forth', row: () => ['delete', 'topic', 'forth'] }
    },
    'PUT /v1/topics/{topic}/members/{user_id}': async () => {
      await carillon.putUser('ada')
      await put(carillon, '/v1/topics/ocaml', {})
      return {
        path: '/v1/topics/ocaml/members/ada',
        options: { body: {} },
        row: () => ['create', 'topic_member', 'ocaml/ada'],
      }
    },
    'DELETE /v1/topics/{topic}/members/{user_id}': async () => {
      await carillon.putUser('ada')
      await put(carillon, '/v1/topics/scala', {})
      await put(carillon, '/v1/topics/scala/members/ada', {})
      return { path: '/v1/topics/scala/members/ada', row: () => ['delete', 'topic_member', 'scala/ada'] }
    },
    'PUT /v1/threads/{kind}/{id}': () => ({
      path: '/v1/threads/issue/1',
      options: { body: { topic: 'rust', title: 'It crashes' } },
      row: () => ['create', 'thread', 'issue/1'],
    }),
    'PATCH /v1/threads/{kind}/{id}': async () => {
      await addThread('2')
      const options = { body: { title: 'It crashes no more' } }
      return { path: '/v1/threads/issue/2', options, row: () => ['update', 'thread', 'issue/2'] }
    },
    'DELETE /v1/threads/{kind}/{id}': async () => {
      await addThread('3')
      return { path: '/v1/threads/issue/3', row: () => ['delete', 'thread', 'issue/3'] }
    },
    'PUT /v1/threads/{kind}/{id}/participants/{relation}/{user_id}': async () => {
      await addThread('4')
      const path = '/v1/threads/issue/4/participants/assignee/ada'
      return { path, row: () => ['create', 'participant', 'issue/4/assignee/ada'] }
    },
    'DELETE /v1/threads/{kind}/{id}/participants/{relation}/{user_id}': async () => {
      await addThread('5')
      const path = '/v1/threads/issue/5/participants/assignee/ada'
      await carillon.request('PUT', path)
      return { path, row: () => ['delete', 'participant', 'issue/5/assignee/ada'] }
    },
    'PUT /v1/threads/{kind}/{id}/subscription': async () => {
      await addThread('6')
      return {
        path: '/v1/threads/issue/6/subscription',
        options: { body: { user_id: 'ada' } },
        row: () => ['create', 'subscription', 'issue/6/ada'],
      }
    },
    'DELETE /v1/threads/{kind}/{id}/subscription': async () => {
      await addThread('7')
      await put(carillon, '/v1/threads/issue/7/subscription', { user_id: 'ada' })
      const path = '/v1/threads/issue/7/subscription?user_id=ada'
      return { path, row: () => ['delete', 'subscription', 'issue/7/ada'] }
    },
    'PUT /v1/relations/{name}': () => ({
      path: '/v1/relations/payer',
      options: { body: { priority: 15, reason: 'payment' } },
      row: () => ['create', 'relation', 'payer'],
    }),
    'DELETE /v1/relations/{name}': async () => {
      await put(carillon, '/v1/relations/payee', { priority: 16, reason: 'payment' })
      return { path: '/v1/relations/payee', row: () => ['delete', 'relation', 'payee'] }
    },
    'PUT /v1/fanout-rules/{event_kind}/{relation}': () => ({
      path: '/v1/fanout-rules/invoice_paid/author',
      options: { body: { channels: ['in_app'] } },
      row: () => ['create', 'fanout_rule', 'invoice_paid/author'],
    }),
    'PATCH /v1/fanout-rules/{event_kind}/{relation}': async () => {
      const path = '/v1/fanout-rules/invoice_due/author'
      await put(carillon, path, { channels: ['in_app'] })
      const row = (): [string, string, string] => ['update', 'fanout_rule', 'invoice_due/author']
      return { path, options: { body: { channels: [] } }, row }
    },
    'DELETE /v1/fanout-rules/{event_kind}/{relation}': async () => {
      const path = '/v1/fanout-rules/invoice_sent/author'
      await put(carillon, path, { channels: ['in_app'] })
      return { path, row: () => ['delete', 'fanout_rule', 'invoice_sent/author'] }
    },
    'PUT /v1/visibility-check': async () => {
      await carillon.request('DELETE', '/v1/visibility-check')
      return {
        path: '/v1/visibility-check',
        options: { body: { url: 'https://example.com/visible' } },
        row: () => ['create', 'visibility_check', carillon.tenantId],
      }
    },
    'PATCH /v1/visibility-check': async () => {
      await put(carillon, '/v1/visibility-check', { url: 'https://example.com/visible' })
      return {
        path: '/v1/visibility-check',
        options: { body: { timeout_ms: 1000 } },
        row: () => ['update', 'visibility_check', carillon.tenantId],
      }
    },
    'DELETE /v1/visibility-check': async () => {
      await put(carillon, '/v1/visibility-check', { url: 'https://example.com/visible' })
      return { path: '/v1/visibility-check', row: () => ['delete', 'visibility_check', carillon.tenantId] }
    },
  }
}
