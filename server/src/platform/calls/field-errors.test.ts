import { expect, test } from 'vitest'
import { z } from 'zod'
import { fieldErrors } from './field-errors.ts'

const Body = z.strictObject({ notification_type: z.string(), tags: z.array(z.string()).optional() })

function errorsOf(input: unknown) {
  return fieldErrors(Body.safeParse(input).error!, input, Body)
}

test('names the field at fault, and which one was meant', () => {
  expect(errorsOf({ notification_typ: 'a' })).toEqual([
    { field: 'notification_type', message: 'Required.' },
    { field: 'notification_typ', message: 'Unknown field; did you mean "notification_type"?' },
  ])
  expect(errorsOf(7)).toEqual([{ field: 'body', message: 'Expected an object, not a number.' }])
})

test('says of what is empty that it must not be', () => {
  const Texts = z.strictObject({
    name: z.string().min(1),
    tags: z.array(z.string()).min(1),
    code: z.string().min(1, 'Give a code.'),
    pin: z.string().min(4),
  })
  const input = { name: '', tags: [], code: '', pin: '12' }
  expect(fieldErrors(Texts.safeParse(input).error!, input, Texts)).toEqual([
    { field: 'name', message: 'Must not be empty.' },
    { field: 'tags', message: 'Needs at least one.' },
    { field: 'code', message: 'Give a code.' },
    { field: 'pin', message: 'Must have at least 4 characters.' },
  ])
})

test('says of what is too much or too little how much it may be', () => {
  const Limits = z.strictObject({
    days: z.number().max(3650),
    share: z.number().lt(1),
    tries: z.number().min(1),
    wait: z.number().positive(),
    name: z.string().max(5),
    tags: z.array(z.string()).max(2),
    pair: z.array(z.string()).min(2),
  })
  const input = { days: 9999, share: 1, tries: 0, wait: 0, name: 'abcdef', tags: ['a', 'b', 'c'], pair: [] }
  expect(fieldErrors(Limits.safeParse(input).error!, input, Limits).map(({ message }) => message)).toEqual([
    'Must be at most 3,650.',
    'Must be less than 1.',
    'Must be at least 1.',
    'Must be more than 0.',
    'Must have at most 5 characters.',
    'Must have at most 2 entries.',
    'Must have at least 2 entries.',
  ])
})

test('says what was expected in words, and which name was meant', () => {
  const Order = z.strictObject({
    channel: z.enum(['in_app', 'email']),
    audience: z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('users') })]),
    title: z.string().max(3),
    amount: z.number().gt(0),
    count: z.int().max(5),
    tags: z.array(z.string()).max(1),
    payload: z.record(z.string(), z.unknown()),
    is_urgent: z.boolean(),
    mode: z.literal('now'),
  })
  const input = {
    channel: 'emial',
    audience: { kind: 'user' },
    title: 'Long',
    amount: 0,
    count: 1.5,
    tags: ['a', 'b'],
    payload: [],
    is_urgent: null,
    mode: 'later',
  }
  const errors = fieldErrors(Order.safeParse(input).error!, input, Order)
  expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'channel: Expected one of in_app, email; did you mean "email"?',
    'audience.kind: Expected users; did you mean "users"?',
    'title: Must have at most 3 characters.',
    'amount: Must be more than 0.',
    'count: Expected a whole number.',
    'tags: Must have at most 1 entry.',
    'payload: Expected an object, not a list.',
    'is_urgent: Expected true or false, not null.',
    'mode: Expected now.',
  ])
})

test('suggests the fields of the very place, however the schema is wrapped', () => {
  const Mail = z.strictObject({ from: z.string() })
  const Sms = z.strictObject({ sender: z.string() })
  const Query = z
    .strictObject({
      limit: z.coerce.number().optional(),
      mails: z.array(Mail.nullish()),
      texts: z.record(z.string(), z.union([z.number(), Sms])),
    })
    .refine(() => true)
    .transform(query => query)
  const input = { limt: '3', mails: [{ form: 'a' }], texts: { one: { sendr: 'b' } } }
  const unknown = fieldErrors(Query.safeParse(input).error!, input, Query).filter(
    ({ message }) => message !== 'Required.',
  )
  expect(unknown).toEqual([
    { field: 'mails.0.form', message: 'Unknown field; did you mean "from"?' },
    { field: 'texts.one.sendr', message: 'Unknown field; did you mean "sender"?' },
    { field: 'limt', message: 'Unknown field; did you mean "limit"?' },
  ])
})

test('has no suggestion for a name of two letters that shares one', () => {
  const Short = z.strictObject({ id: z.string().optional() })
  const input = { k0: 1 }
  expect(fieldErrors(Short.safeParse(input).error!, input, Short)).toEqual([
    { field: 'k0', message: 'Unknown field.' },
  ])
})

test('does not suggest a field that is there', () => {
  expect(errorsOf({ notification_type: 'a', notification_typ: 'a' })).toEqual([
    { field: 'notification_typ', message: 'Unknown field.' },
  ])
})

// Comparing each of them with all the others took minutes, in which the process did nothing else.
test('of tens of thousands of wrong fields, names the first hundred', () => {
  const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 0]))
  const errors = errorsOf({ notification_type: 'a', ...unknown })
  expect(errors).toHaveLength(100)
  expect(errors[0]).toEqual({ field: 'k0', message: 'Unknown field.' })
  expect(errorsOf({ notification_type: 'a', tags: new Array(100_000).fill(0) })).toHaveLength(100)
})

test('has no suggestion for a name of a hundred thousand characters', () => {
  const name = 'producer'.repeat(12_500)
  expect(errorsOf({ notification_type: 'a', [name]: 0 })).toEqual([
    { field: name, message: 'Unknown field.' },
  ])
})
