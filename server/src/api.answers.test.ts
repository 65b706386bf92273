/** What the routes promise to answer, read from the description that is made of them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../test/carillon.ts'
import { type Inhabited, inhabit } from '../test/inhabited.ts'
import { type JsonSchema, type Operation, operationsOf, resolveSchema } from '../test/operations.ts'
import { aBrowserOf } from '../test/signed-in.ts'

const carillon = useCarillon()

/** Documents whose fields are somebody else's: payloads, settings of a kind of provider, what changed. */
const FREE_FORM = [
  'AuditLog.new_values',
  'AuditLog.old_values',
  'InboxItem.summary',
  'Intent.payload',
  'InvocationResult.result',
  'KvEntry.value',
  'MalformedIntent.raw_fields',
  'Provider.config',
  'ProviderKindInfo.config_schema',
  'ProviderKindInfo.secrets_schema',
  'ScheduledIntent.payload',
  'ScriptSystemEvent.details',
  'ScriptTest.result',
  'SystemEvent.details',
  'TemplateVariable.sample',
]

/** Every place of the schema that lets anything through. */
function looseIn(schema: JsonSchema | undefined, place: string): string[] {
  if (schema === undefined) return []
  if (schema.$ref !== undefined) {
    return looseIn(resolveSchema(carillon.api, schema), schema.$ref.split('/').at(-1)!)
  }
  const { type, properties, items, additionalProperties: rest } = schema
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return variants.flatMap(variant => looseIn(variant, place))
  if (type === undefined && schema.enum === undefined && schema.const === undefined) return [place]
  const isOpen = type === 'object' && (rest === undefined || rest === true)
  return [
    ...(isOpen ? [place] : []),
    ...(typeof rest === 'object' ? looseIn(rest, place) : []),
    ...looseIn(items, place),
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => looseIn(field, `${place}.${name}`)),
  ]
}

describe('every operation', () => {
  it('states its success and that it may answer with a problem', () => {
    // 304 is a success too: it says that the last one still holds.
    const statusesOf = ({ answers }: Operation) =>
      Object.keys(answers).map(status => (status === '304' ? '2xx' : `${status[0]}xx`))
    for (const operation of operationsOf(carillon.api)) {
      const statuses = [...new Set(statusesOf(operation))].sort()
      expect([operation.name, statuses]).toEqual([operation.name, ['2xx', '4xx', '5xx']])
    }
  })

  it('says what a success looks like, unless it is empty', () => {
    for (const { name, answers } of operationsOf(carillon.api)) {
      const silent = Object.keys(answers).filter(status => answers[status] === undefined)
      expect([name, silent.filter(status => status !== '204' && status !== '304')]).toEqual([name, []])
    }
  })

  it('names every field, but for documents that are somebody else’s', () => {
    const loose = operationsOf(carillon.api).flatMap(({ name, answers }) =>
      Object.values(answers).flatMap(schema => looseIn(schema, name)),
    )
    expect([...new Set(loose)].sort()).toEqual(FREE_FORM)
  })
})

/** They have nothing to leave out: at most one field that stays, or everything is required. */
const PUT_AS_A_WHOLE = [
  // it is what the page shows of oneself, and a password is never shown
  'PUT /v1/account',
  'PUT /v1/kv/{collection}/{key}',
  'PUT /v1/relations/{name}',
  'PUT /v1/threads/{kind}/{id}/participants/{relation}/{user_id}',
  'PUT /v1/threads/{kind}/{id}/subscription',
  'PUT /v1/topics/{topic}/members/{user_id}',
]

it('what PUT replaces, PATCH changes field by field', () => {
  const operations = operationsOf(carillon.api)
  const has = (method: string, path: string) => operations.some(each => each.name === `${method} ${path}`)
  const unpatched = operations.filter(({ method, path }) => method === 'PUT' && !has('PATCH', path))
  expect(unpatched.map(({ name }) => name).sort()).toEqual(PUT_AS_A_WHOLE)
})

describe('every GET', () => {
  let inhabited: Inhabited
  beforeAll(async () => {
    inhabited = await inhabit(carillon)
  })

  it('answers exactly its schema', async () => {
    const browser = await aBrowserOf(carillon, 'owner')
    for (const { name, method, isForSessions } of operationsOf(carillon.api)) {
      if (method !== 'GET') continue
      const { request } = isForSessions ? browser : carillon
      const answer = await request(method, inhabited.ask(name))
      expect([name, answer.status, answer.body]).toEqual([name, 200, answer.body])
    }
  })
})
