import { Problem } from '@carillon/contract'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { Refusal } from '../calls/refusal.ts'
import { createCheckedSerializer, createSerializer, refuseDifference } from './answers.ts'
import { createHttpServer } from './server.ts'

const Thing = z.object({
  id: z.string(),
  tags: z.array(z.object({ name: z.string() })),
  owner: z.object({ name: z.string() }).nullable(),
  limits: z.partialRecord(z.enum(['email', 'sms']), z.strictObject({ cap: z.number().default(3) })),
  choice: z.discriminatedUnion('every', [
    z.object({ every: z.literal('hour') }),
    z.object({ every: z.literal('day'), at: z.string() }),
  ]),
  payload: z.record(z.string(), z.unknown()),
  note: z.string().optional(),
})
const THING = {
  id: 'a',
  tags: [{ name: 'x' }],
  owner: { name: 'ada' },
  limits: { email: { cap: 1 } },
  choice: { every: 'hour' },
  payload: { anything: { goes: [1] } },
}
/** The same with a column too many in each place where one can be. */
const SPOILED: [where: string, thing: object][] = [
  ['itself', { ...THING, secret: 1 }],
  ['an object within', { ...THING, owner: { name: 'ada', secret: 1 } }],
  ['an item of a list', { ...THING, tags: [{ name: 'x', secret: 1 }] }],
  ['an entry of a record', { ...THING, limits: { email: { cap: 1, secret: 1 } } }],
  ['the keys of a record', { ...THING, limits: { email: { cap: 1 }, secret: { cap: 1 } } }],
  ['a variant', { ...THING, choice: { every: 'hour', at: '10:00' } }],
]

describe('an answer', () => {
  const serialize = createSerializer(Thing)

  it('is sent whole, with free-form documents as they are', () => {
    expect(JSON.parse(serialize(THING))).toEqual(THING)
    expect(JSON.parse(serialize({ ...THING, owner: null, note: 'n' }))).toEqual({
      ...THING,
      owner: null,
      note: 'n',
    })
  })

  it.each(SPOILED)('never holds more than its schema names in %s', (_where, thing) => {
    expect(JSON.parse(serialize(thing))).toEqual(THING)
  })

  it.each(SPOILED)('with more than its schema names in %s fails a test', (_where, thing) => {
    expect(() => createCheckedSerializer(Thing, 'it')(thing)).toThrow('it is not its schema')
    expect(() => refuseDifference(Thing, thing, 'it')).toThrow('it is not its schema')
  })

  it('with less than its schema promises fails a test, also where a default would fill it in', () => {
    const check = createCheckedSerializer(Thing, 'it')
    const { id: _, ...nameless } = THING
    expect(() => check(nameless)).toThrow('id')
    expect(() => check({ ...THING, limits: { email: {} } })).toThrow('it is not its schema')
    expect(JSON.parse(check(THING))).toEqual(THING)
  })

  it('cannot have a schema whose fields nobody could tell', () => {
    const either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    expect(() => createSerializer(z.object({ either }))).toThrow('union')
    expect(() => createSerializer(z.any())).toThrow('any')
  })
})

describe('the server', () => {
  async function aServer(checkAnswers: boolean) {
    const log = pino({ level: 'silent' })
    const app = await createHttpServer({ log, authenticate: async () => undefined, checkAnswers })
    onTestFinished(() => app.close())
    return app
  }
  const config = { scope: 'public' } as const
  const schema = { response: { 200: z.object({ id: z.string() }) } }
  const spoiled = { id: 'a', secret: 1 }

  it('leaves out what the schema does not name, and in tests refuses to', async () => {
    for (const [checkAnswers, status] of [
      [false, 200],
      [true, 500],
    ] as const) {
      const app = await aServer(checkAnswers)
      app.get('/thing', { config, schema }, async () => spoiled)
      const answer = await app.inject('/thing')
      expect([answer.statusCode, answer.body.includes('secret')]).toEqual([status, false])
    }
  })

  it('does not start with a route that states no answer', async () => {
    const app = await aServer(false)
    expect(() => app.get('/thing', { config, schema: {} }, async () => spoiled)).toThrow(
      'GET /thing states no answer',
    )
  })

  it('refuses in tests a status that the route does not state', async () => {
    const app = await aServer(true)
    app.get('/thing', { config, schema }, async (_request, reply) =>
      (reply as { status(code: number): typeof reply }).status(201).send({ id: 'a' }),
    )
    expect((await app.inject('/thing')).statusCode).toBe(500)
  })

  it('sends problems as their schema too', async () => {
    const app = await aServer(false)
    app.get('/thing', { config, schema }, async () => {
      throw new Refusal('not_found', 'Gone.', [{ field: 'id', message: 'm', secret: 1 } as never])
    })
    const { statusCode, body } = await app.inject('/thing')
    expect([statusCode, JSON.parse(body).errors]).toEqual([404, [{ field: 'id', message: 'm' }]])
    expect(() => refuseDifference(Problem, JSON.parse(body), 'it')).not.toThrow()
  })
})
