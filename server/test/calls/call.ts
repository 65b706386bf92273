/** One call of an operation, ready to succeed. */
import type { Answer, RequestOptions, TestCarillon } from '../carillon.ts'

export interface Call {
  path: string
  options?: RequestOptions
  /** Action, type and id of the row it leaves in the audit log; left out by operations that leave none. */
  row?: (body: Answer['body']) => [action: string, type: string, id: string | null]
}

/** By operation, such as `PUT /v1/users/{id}`; each makes what it needs first, with names of its own. */
export type Calls = Record<string, () => Call | Promise<Call>>

/** Creates something by the API and gives its id. */
export async function create(carillon: TestCarillon, path: string, body: object): Promise<string> {
  const answer = await carillon.request('POST', path, { body })
  if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

export async function put(carillon: TestCarillon, path: string, body: object): Promise<void> {
  const answer = await carillon.request('PUT', path, { body })
  if (answer.status !== 200) throw new Error(`PUT ${path}: ${JSON.stringify(answer.body)}`)
}
