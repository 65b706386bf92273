import { expect, test } from 'vitest'
import { curlOf, sdkOf } from './intent-code.ts'

const intent = {
  notification_type: 'hello',
  audience: { kind: 'users' as const, user_ids: ['ada'] },
  payload: { 'first-line': "It's here", body: '"name": x' },
}

test('a quote in the payload does not end the shell’s', () => {
  expect(curlOf(intent, 'https://n.example')).toContain(String.raw`"It'\''s here"`)
})

test('the names of an object need no quotes, unless they are no names', () => {
  const code = sdkOf(intent, 'https://n.example')
  expect(code).toContain('  notification_type: "hello"')
  expect(code).toContain('"first-line": "It\'s here"')
  expect(code).toContain('body: "\\"name\\": x"')
})
