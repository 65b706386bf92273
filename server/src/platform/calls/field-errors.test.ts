import { expect, test } from 'vitest'
import { z } from 'zod'
import { fieldErrors } from './field-errors.ts'

const Body = z.strictObject({ notification_type: z.string(), tags: z.array(z.string()).optional() })

function errorsOf(input: unknown) {
  return fieldErrors(Body.safeParse(input).error!, input)
}

test('names the field at fault, and which one was meant', () => {
  expect(errorsOf({ notification_typ: 'a' })).toEqual([
    { field: 'notification_type', message: 'Required.' },
    { field: 'notification_typ', message: 'Unknown field; did you mean "notification_type"?' },
  ])
  expect(errorsOf(7)).toEqual([{ field: 'body', message: expect.any(String) }])
})

test('says of what is empty that it must not be', () => {
  const Texts = z.strictObject({
    name: z.string().min(1),
    tags: z.array(z.string()).min(1),
    code: z.string().min(1, 'Give a code.'),
    pin: z.string().min(4),
  })
  const input = { name: '', tags: [], code: '', pin: '12' }
  expect(fieldErrors(Texts.safeParse(input).error!, input)).toEqual([
    { field: 'name', message: 'Must not be empty.' },
    { field: 'tags', message: 'Needs at least one.' },
    { field: 'code', message: 'Give a code.' },
    { field: 'pin', message: 'Needs at least 4 characters.' },
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
  expect(fieldErrors(Limits.safeParse(input).error!, input).map(({ message }) => message)).toEqual([
    'Must be at most 3,650.',
    'Must be less than 1.',
    'Must be at least 1.',
    'Must be more than 0.',
    'May have at most 5 characters.',
    'May have at most 2 entries.',
    'Needs at least 2.',
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
