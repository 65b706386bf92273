/** Every operation of the API, read from its own description: what goes through them all cannot forget a new one. */
import type { App } from '../src/platform/http/server.ts'

export interface Operation {
  /** Such as `GET /v1/users/{id}`. */
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** It answers page by page. */
  isPaged: boolean
  /** It serves user tokens too. */
  isForPeople: boolean
  /** It serves sessions alone, and is about them. */
  isForSessions: boolean
  /** Parameters of the query that have a few values, and these. */
  choices: Record<string, string[]>
  /** By status, as JSON Schema; undefined where there is nothing to say. */
  answers: Record<string, JsonSchema | undefined>
}

export interface JsonSchema {
  $ref?: string
  type?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
}

interface Description {
  paths?: Record<string, Record<string, DescribedOperation>>
  components?: { schemas?: Record<string, JsonSchema> }
}

interface DescribedOperation {
  parameters?: { in: string; name: string; schema: JsonSchema }[]
  responses?: Record<string, DescribedAnswer>
  security?: object[]
}

interface DescribedAnswer {
  content?: Record<string, { schema?: JsonSchema }>
}

export function operationsOf(api: App): Operation[] {
  const { paths = {} } = api.swagger() as Description
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([each, { parameters = [], responses = {}, security = [] }]) => {
      const method = each.toUpperCase() as Operation['method']
      const answers = Object.fromEntries(
        Object.entries(responses).map(([status, { content = {} }]) => [
          status,
          Object.values(content)[0]?.schema,
        ]),
      )
      const { properties = {} } = resolveSchema(api, answers[200])
      const isPaged = 'next_cursor' in properties
      const choices = Object.fromEntries(
        parameters.flatMap(({ in: where, name, schema }) =>
          where === 'query' && schema.enum ? [[name, schema.enum.map(String)]] : [],
        ),
      )
      const isForPeople = security.some(scheme => 'user_token' in scheme)
      const isForSessions = security.some(scheme => 'session' in scheme)
      const name = `${method} ${path}`
      return { name, method, path, isPaged, isForPeople, isForSessions, choices, answers }
    }),
  )
}

/** What a reference refers to. */
export function resolveSchema(api: App, schema: JsonSchema = {}): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (api.swagger() as Description).components!.schemas![name]!
}
