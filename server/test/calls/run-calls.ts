/** Calls that run scripts. */
import type { TestCarillon } from '../carillon.ts'
import { type Calls, create } from './call.ts'

export function runCalls(carillon: TestCarillon): Calls {
  let count = 0
  return {
    'POST /v1/scripts/{id}/invoke': async () => {
      const script = { name: `invoked-${++count}`, source: 'export default 1' }
      const id = await create(carillon, '/v1/scripts', script)
      return { path: `/v1/scripts/${id}/invoke`, options: { body: { mode: 'async' } } }
    },
  }
}
