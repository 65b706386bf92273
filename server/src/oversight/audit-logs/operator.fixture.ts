/** Somebody whose changes the audit log names. */
import { beforeAll } from 'vitest'
import type { TestCarillon } from '../../../test/carillon.ts'

export function useOperator(carillon: TestCarillon) {
  const operator = { id: '', key: '' }
  beforeAll(async () => {
    await carillon.putUser('op')
    Object.assign(operator, await carillon.createKey({ name: 'operator', scopes: ['admin'], user_id: 'op' }))
  })
  return operator
}
