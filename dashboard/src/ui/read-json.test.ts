import { expect, it } from 'vitest'
import { readJson } from './read-json.ts'

it('reads an object, and nothing as an empty one', () => {
  expect(readJson('{"a": 1}')).toEqual({ value: { a: 1 } })
  expect(readJson(' ')).toEqual({ value: {} })
})

it('says where a mistake is', () => {
  expect(readJson('{\n  "a": 1,\n  b\n}').mistake).toMatchObject({ line: 3, column: 3 })
  expect(readJson('{\n  "a": 1,\n}').mistake).toMatchObject({ line: 3 })
  expect(readJson('{\n  "a": "b').mistake).toMatchObject({ line: 2 })
  expect(readJson(`{\n  "a": 1,\n  "long": "and longer",\n  "b": x\n}`).mistake).toMatchObject({
    line: 4,
    column: 8,
  })
})

it('takes nothing but an object', () => {
  for (const text of ['[]', '1', 'null']) expect(readJson(text).mistake).toMatchObject({ line: 1 })
})
