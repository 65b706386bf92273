import { expect, it } from 'vitest'
import { aMessage } from '../message.fixture.ts'
import { chatMarkdown, chatText } from './chat-text.ts'

it.each([
  ['both', { subject: 'Paid', text: 'Thank you.' }, 'Paid\nThank you.'],
  ['a subject that says it all', { subject: 'Paid', text: 'Paid' }, 'Paid'],
  ['no subject', { subject: '', text: 'Thank you.' }, 'Thank you.'],
])('a chat message of %s says nothing twice', (_what, content, expected) => {
  const message = aMessage({ channel: 'chat', ...content })
  expect([chatText(message, 100), chatMarkdown(message, 100)]).toEqual([expected, expected])
})
