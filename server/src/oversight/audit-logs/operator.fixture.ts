/** A user with an admin key, whom the audit log names as the actor. */
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
