/** Calls that change scripts, or try them out. */
import type { TestCarillon } from '../carillon.ts'
import { type Calls, create } from './call.ts'

export function scriptCalls(carillon: TestCarillon): Calls {
  const aScript = (name: string) => create(carillon, '/v1/scripts', { name, source: 'log(event.kind)' })

  return {
    'POST /v1/scripts': () => ({
      path: '/v1/scripts',
      options: { body: { name: 'saved', source: 'log(1)' } },
      row: body => ['create', 'script', body.id],
    }),
    'PATCH /v1/scripts/{id}': async () => {
      const id = await aScript('changed')
      const options = { body: { source: 'log(2)' } }
      return { path: `/v1/scripts/${id}`, options, row: () => ['update', 'script', id] }
    },
    'DELETE /v1/scripts/{id}': async () => {
      const id = await aScript('outdated')
      return { path: `/v1/scripts/${id}`, row: () => ['delete', 'script', id] }
    },
    'POST /v1/scripts/{id}/rollback': async () => {
      const id = await aScript('regretted')
      const options = { body: { version: 1 } }
      return { path: `/v1/scripts/${id}/rollback`, options, row: () => ['rollback', 'script', id] }
    },
    'POST /v1/scripts/{id}/test': async () => ({ path: `/v1/scripts/${await aScript('tried')}/test` }),
    'POST /v1/scripts/test': () => ({
      path: '/v1/scripts/test',
      options: { body: { source: 'log(event.kind)' } },
    }),
  }
}
