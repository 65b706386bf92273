import { BUILT_IN_VARIABLES } from '@carillon/contract'
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { BUILT_IN_FIELDS } from './built-in-fields.ts'

const carillon = useCarillon()

it.each(BUILT_IN_VARIABLES)('a template can use every listed field of %s', async name => {
  const fields = BUILT_IN_FIELDS[name].map(field => `{{ ${name}.${field} }}`)
  const template = { subject: 'S', body: `<p>${fields.join(' ')} {{ ${name}.size }}</p>`, layout: null }
  const body = { channel: 'email', template }
  const answer = await carillon.request('POST', '/v1/templates/preview', { body })
  expect([answer.status, answer.body.errors]).toEqual([200, undefined])
})
