/** The methods about what messages say. */
import type { Call } from './call.ts'

const key = { name: 'a b', channel: 'email', locale: 'pt-BR' } as const

export const TEMPLATE_CALLS: Call[] = [
  ['templates.list', c => c.templates.list({ name: 'welcome' }), 'GET /v1/templates?name=welcome'],
  ['templates.get', c => c.templates.get(key), 'GET /v1/templates/a%20b/email/pt-BR'],
  [
    'templates.put',
    c => c.templates.put(key, { subject: 's', body: 'b' }),
    'PUT /v1/templates/a%20b/email/pt-BR',
    { subject: 's', body: 'b' },
  ],
  [
    'templates.update',
    c => c.templates.update(key, { is_active: false }),
    'PATCH /v1/templates/a%20b/email/pt-BR',
    { is_active: false },
  ],
  ['templates.delete', c => c.templates.delete(key), 'DELETE /v1/templates/a%20b/email/pt-BR'],
  ['templates.publish', c => c.templates.publish(key), 'POST /v1/templates/a%20b/email/pt-BR/publish', {}],
  [
    'templates.rollBack',
    c => c.templates.rollBack(key, { version: 3, replace_waiting: true }),
    'POST /v1/templates/a%20b/email/pt-BR/rollback',
    { version: 3, replace_waiting: true },
  ],
  [
    'templates.versions',
    c => c.templates.versions(key, { limit: 1 }),
    'GET /v1/templates/a%20b/email/pt-BR/versions?limit=1',
  ],
  ['templates.version', c => c.templates.version(key, 3), 'GET /v1/templates/a%20b/email/pt-BR/versions/3'],
  [
    'templates.preview',
    c => c.templates.preview(key, { data: { order: 1 } }),
    'POST /v1/templates/a%20b/email/pt-BR/preview',
    { data: { order: 1 } },
  ],
  [
    'templates.previewText',
    c => c.templates.previewText({ channel: 'sms', template: { body: 'Hi' } }),
    'POST /v1/templates/preview',
    { channel: 'sms', template: { body: 'Hi' } },
  ],
  ['templateParts.list', c => c.templateParts.list(), 'GET /v1/template-parts'],
  ['templateParts.get', c => c.templateParts.get('layout', 'x'), 'GET /v1/template-parts/layout/x'],
  [
    'templateParts.put',
    c => c.templateParts.put('partial', 'x', { source: 's' }),
    'PUT /v1/template-parts/partial/x',
    { source: 's' },
  ],
  [
    'templateParts.update',
    c => c.templateParts.update('partial', 'x', { source: 't' }),
    'PATCH /v1/template-parts/partial/x',
    { source: 't' },
  ],
  ['templateParts.delete', c => c.templateParts.delete('layout', 'x'), 'DELETE /v1/template-parts/layout/x'],
  [
    'templateParts.publish',
    c => c.templateParts.publish('layout', 'x', { replace_waiting: true }),
    'POST /v1/template-parts/layout/x/publish',
    { replace_waiting: true },
  ],
  ['branding.get', c => c.branding.get(), 'GET /v1/branding'],
  ['branding.update', c => c.branding.update({ name: 'Shop' }), 'PATCH /v1/branding', { name: 'Shop' }],
  ['translations.list', c => c.translations.list(), 'GET /v1/translations'],
  [
    'translations.update',
    c => c.translations.update('de', { messages: { hello: null } }),
    'PATCH /v1/translations/de',
    { messages: { hello: null } },
  ],
  ['translations.get', c => c.translations.get('de'), 'GET /v1/translations/de'],
  [
    'translations.put',
    c => c.translations.put('de', { messages: { a: 'b' } }),
    'PUT /v1/translations/de',
    { messages: { a: 'b' } },
  ],
  ['translations.delete', c => c.translations.delete('de'), 'DELETE /v1/translations/de'],
]
