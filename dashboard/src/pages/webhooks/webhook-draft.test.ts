import { expect, it } from 'vitest'
import { webhookDraft, webhookValues } from './webhook-draft.ts'

it('sends what was typed in the types of the API', () => {
  const values = webhookValues({
    ...webhookDraft(),
    url: ' https://example.com/hooks ',
    notification_types: 'order_paid, order_sent,, order_paid',
    headers: [
      ['authorization', 'Bearer x'],
      ['', ''],
    ],
    retry_base_seconds: '1.5',
    disable_after: '',
    rate_limit: '600',
  })
  expect(values).toMatchObject({
    url: 'https://example.com/hooks',
    notification_types: ['order_paid', 'order_sent'],
    headers: { authorization: 'Bearer x' },
    retry_base_ms: 1500,
    retry_cap_ms: 86_400_000,
    disable_after: null,
    rate_limit: 600,
  })
  expect(values).not.toHaveProperty('retry_base_seconds')
})

it('leaves the headers alone unless they are replaced', () => {
  expect(webhookValues({ ...webhookDraft(), headers: undefined })).not.toHaveProperty('headers')
})

it('passes on what is no number, so that the API says so at the field', () => {
  expect(webhookValues({ ...webhookDraft(), retry_base_seconds: 'soon' }).retry_base_ms).toBe('soon')
})
