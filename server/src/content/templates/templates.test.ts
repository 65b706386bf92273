import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'

const carillon = useCarillon()
const ORDER = { name: 'order', sample: { number: 1842 } }
const MAIL = { subject: 'Order {{ order.number }}', body: '<p>It left.</p>', variables: [ORDER] }

const put = (path: string, body: object, key?: string) =>
  carillon.request('PUT', `/v1/templates/${path}`, { body, ...(key && { key }) })
const get = (path: string, key?: string) =>
  carillon.request('GET', `/v1/templates/${path}`, key === undefined ? {} : { key })
const post = (path: string, body: object = {}) => carillon.request('POST', `/v1/templates/${path}`, { body })

beforeAll(async () => {
  const source = '<p>{{ label }}</p>'
  await carillon.request('PUT', '/v1/template-parts/partial/note', { body: { source } })
  const messages = {
    'cart.items': '.input {$count :integer}\n.match $count\none {{one item}}\n* {{{$count} items}}',
  }
  await carillon.request('PUT', '/v1/translations/en', { body: { messages } })
})

describe('a change of a draft', () => {
  const change = (path: string, body: object) => carillon.request('PATCH', `/v1/templates/${path}`, { body })

  it('a PATCH of a draft changes only the fields that it names', async () => {
    const { body: before } = await put('changing/email/en', { ...MAIL, text: 'It left.', layout: null })
    const changes = { subject: 'Order {{ order.number }} left', is_active: false }
    const { body: after } = await change('changing/email/en', changes)
    expect(after).toEqual({ ...before, ...changes, updated_at: expect.any(String) })
    expect((await get('changing/email/en')).body).toEqual(after)
    expect((await change('changing/email/en', {})).body).toEqual({ ...after, updated_at: expect.any(String) })
  })

  it('a PATCH with a text of null removes the text of a mail', async () => {
    await put('changing/email/de', { ...MAIL, text: 'Es ist unterwegs.' })
    expect((await change('changing/email/de', { text: null })).body).toMatchObject({
      subject: MAIL.subject,
      text: null,
      layout: 'default',
    })
  })

  it.each([
    ['a mistake in Liquid', { body: '{% if %}' }, 'body'],
    ['a variable that is no longer declared', { variables: [] }, 'subject'],
    ['a field that the channel does not have', { title: 'T' }, 'title'],
    ['a subject of null', { subject: null }, 'subject'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('a PATCH with %s is refused and changes nothing', async (_what, body, field) => {
    const { body: before } = await put('kept/email/en', MAIL)
    expect(problemOf(await change('kept/email/en', body)).errors?.[0]?.field).toBe(field)
    expect((await get('kept/email/en')).body).toEqual(before)
  })

  it('a PATCH creates no draft', async () => {
    expect((await change('nowhere/sms/en', { body: 'Hi' })).status).toBe(404)
  })

  it('a PATCH changes the drafts of other channels than mail too', async () => {
    await put('changing/push/en', { title: 'T', body: 'Hi' })
    expect((await change('changing/push/en', { body: 'Ho' })).body).toMatchObject({ title: 'T', body: 'Ho' })
    await put('changing/sms/en', { body: 'Hi' })
    expect((await change('changing/sms/en', { body: 'Ho' })).body).toMatchObject({ title: null, body: 'Ho' })
  })
})

it('a draft has a name, a channel, a language, a body, variables and an author', {
  tags: 'S002-12',
}, async () => {
  await carillon.putUser('author')
  const { key } = await carillon.createKey({
    name: 'author',
    scopes: ['templates:write'],
    user_id: 'author',
  })
  const answer = await put('order_shipped/email/pt_br', MAIL, key)
  expect(answer.body).toMatchObject({
    name: 'order_shipped',
    channel: 'email',
    locale: 'pt-BR',
    subject: MAIL.subject,
    body: MAIL.body,
    text: null,
    layout: 'default',
    variables: [{ ...ORDER, required: true, description: '' }],
    is_active: true,
    published_version: null,
    created_by: 'author',
  })
  expect((await get('order_shipped/email/PT-BR')).body).toEqual(answer.body)
})

it('a draft stays when its author is deleted', { tags: ['S002-36', 'S002-34'] }, async () => {
  await carillon.request('DELETE', '/v1/users/author')
  expect((await get('order_shipped/email/pt-BR')).body.created_by).toBeNull()
})

it('saving again replaces the draft of the same name, channel and language', {
  tags: 'S002-12',
}, async () => {
  await put('again/sms/en', { body: 'one' })
  await put('again/sms/EN', { body: 'two' })
  await put('again/sms/de', { body: 'zwei' })
  await put('again/push/en', { title: 't', body: 'b' })
  const { data } = (await carillon.request('GET', '/v1/templates?name=again')).body
  expect(data.map((row: Record<string, string>) => [row.channel, row.locale])).toEqual([
    ['push', 'en'],
    ['sms', 'de'],
    ['sms', 'en'],
  ])
  expect((await get('again/sms/en')).body.body).toBe('two')
})

it.each([
  ['sms', { body: 'Hi' }],
  ['chat', { body: 'Hi' }],
  ['webhook', { body: 'Hi' }],
  ['push', { title: 'T', body: 'Hi' }],
  ['in_app', { title: 'T', body: 'Hi' }],
  ['email', { subject: 'S', body: '<p>Hi</p>', text: 'Hi', layout: null }],
])('a draft for %s takes the fields of its channel', { tags: 'S002-12' }, async (channel, body) => {
  expect((await put(`fields/${channel}/en`, body)).status).toBe(200)
})

it.each([
  ['a subject', 'sms', { subject: 'S', body: 'b' }, 'subject'],
  ['a title', 'email', { subject: 'S', title: 'T', body: 'b' }, 'title'],
  ['a layout', 'push', { title: 'T', body: 'b', layout: 'default' }, 'layout'],
  ['a text', 'chat', { body: 'b', text: 't' }, 'text'],
])('a draft cannot have %s on the channel %s', { tags: 'S002-12' }, async (_what, channel, body, field) => {
  const problem = problemOf(await put(`fields/${channel}/en`, body))
  expect(problem).toMatchObject({ code: 'invalid_template', errors: [{ field }] })
})

it.each([
  ['no subject', 'email', { body: 'b' }, 'subject'],
  ['no title', 'in_app', { body: 'b' }, 'title'],
  ['no body', 'sms', {}, 'body'],
  ['an unknown field', 'sms', { body: 'b', colour: 'red' }, 'colour'],
  ['a layout that is not there', 'email', { subject: 's', body: 'b', layout: 'none' }, 'layout'],
  ['a variable twice', 'sms', { body: 'b', variables: [{ name: 'a' }, { name: 'a' }] }, 'variables.1.name'],
  ['a reserved variable', 'sms', { body: 'b', variables: [{ name: 'branding' }] }, 'variables.0.name'],
  ['an odd variable', 'sms', { body: 'b', variables: [{ name: 'a b' }] }, 'variables.0.name'],
  ['a subject that is too long', 'email', { subject: 's'.repeat(256), body: 'b' }, 'subject'],
])('a draft with %s is refused', { tags: 'S002-35' }, async (_what, channel, body, field) => {
  expect(problemOf(await put(`refused/${channel}/en`, body)).errors?.[0]?.field).toBe(field)
  expect((await get(`refused/${channel}/en`)).status).toBe(404)
})

it('a draft with a name of over 100 characters, an invalid language or an unknown channel is refused', {
  tags: 'S002-35',
}, async () => {
  expect((await put(`${'n'.repeat(101)}/sms/en`, { body: 'b' })).status).toBe(400)
  expect((await put('name/sms/english', { body: 'b' })).status).toBe(400)
  expect((await put('name/pigeon/en', { body: 'b' })).status).toBe(400)
})

describe('saving', () => {
  const VARIABLES = { variables: [{ name: 'a' }] }
  it.each<[string, object, object]>([
    [
      'an undeclared placeholder',
      { body: 'Hi\n {{ nmae }}' },
      { field: 'body', line: 2, column: 5, message: expect.stringMatching(/"nmae" is not declared/) },
    ],
    [
      'an undeclared placeholder in a condition',
      { body: '{% if vip %}{% endif %}' },
      { field: 'body', message: expect.stringMatching(/"vip"/) },
    ],
    [
      'a field that a built-in variable does not have',
      { body: 'Dear\n{{ recipient.nmae }}' },
      {
        field: 'body',
        line: 2,
        column: 4,
        message: expect.stringMatching(/"recipient.nmae" does not exist: recipient has/),
      },
    ],
    [
      'a field that branding does not have, in a condition',
      { body: "{% if branding['colour'] %}{% endif %}" },
      { field: 'body', message: expect.stringMatching(/"branding.colour" does not exist/) },
    ],
    ['an unclosed output', { body: '\n\n{{ a' }, { field: 'body', line: 3, column: 1 }],
    [
      'an unknown filter',
      { body: '{{ a | shout }}', ...VARIABLES },
      { message: expect.stringMatching(/shout/) },
    ],
    [
      'an unknown tag',
      { body: '{% shout %}' },
      { line: 1, message: expect.stringMatching(/"shout" not found/) },
    ],
    [
      'an unclosed tag',
      { body: '{% if a %}', ...VARIABLES },
      { line: 1, message: expect.stringMatching(/not closed/) },
    ],
    [
      'an unknown partial',
      { body: "{% render 'nothing' %}" },
      { message: expect.stringMatching(/no partial "nothing"/) },
    ],
    [
      'a computed partial',
      { body: '{% render a %}', ...VARIABLES },
      { message: expect.stringMatching(/written out/) },
    ],
    [
      'a partial that does not get what it needs',
      { body: "{% render 'note' %}" },
      { message: 'partial "note", line 1, column 7: "label" is not passed to it' },
    ],
    [
      'an unknown translation',
      { body: "{{ 'cart.itmes' | t }}" },
      { message: expect.stringMatching(/no translation "cart.itmes" in en/) },
    ],
    [
      'a translation without its parameter',
      { body: "{{ 'cart.items' | t }}" },
      { message: expect.stringMatching(/needs the parameter "count"/) },
    ],
  ])('saving refuses %s and names the position', { tags: 'S002-12' }, async (_what, body, error) => {
    const answer = await put('refused/sms/en', body)
    expect(problemOf(answer)).toMatchObject({ code: 'invalid_template', status: 400, errors: [error] })
  })

  it.each([
    [
      'thousands of nested conditions',
      '{% if a %}'.repeat(4700) + '{% endif %}'.repeat(4700),
      'it has more than 5000 outputs and tags',
    ],
    ['thousands of outputs', '{{a}}'.repeat(20_000), 'it has more than 5000 outputs and tags'],
    [
      'thousands of nested brackets',
      `{{ a${'[a'.repeat(20_000)}${']'.repeat(20_000)} }}`,
      'it is nested too deeply',
    ],
    [
      'partials that would render themselves',
      "{% render 'ping' %}",
      'the partial "ping" would render itself',
    ],
  ])('saving refuses %s before anything is rendered', { tags: 'S002-12' }, async (_what, body, reason) => {
    const part = (source: string) => ({ body: { source } })
    await carillon.request('PUT', '/v1/template-parts/partial/ping', part("{% render 'pong' %}"))
    await carillon.request('PUT', '/v1/template-parts/partial/pong', part("{% render 'ping' %}"))
    const { code, errors } = problemOf(await put('refused/sms/en', { body, ...VARIABLES }))
    expect([code, errors?.[0]?.message]).toEqual(['invalid_template', expect.stringContaining(reason)])
  })

  it('saving reports all mistakes of a template at once', async () => {
    const answer = await put('refused/email/en', { subject: '{{ x }}', body: '{{ y }}{{ z }}' })
    expect(problemOf(answer).errors?.map(error => error.field)).toEqual(['subject', 'body', 'body'])
  })

  it('a template can use branding, recipient, notification and subject without declaring them', async () => {
    const body = '{{ branding.name }}{{ recipient.id }}{{ notification.type }}{{ subject }}'
    expect((await put('built-in/email/en', { subject: 's', body })).status).toBe(200)
    expect(problemOf(await put('built-in/email/en', { subject: '{{ subject }}', body: 'b' })).status).toBe(
      400,
    )
  })
})

it('templates are listed page by page', async () => {
  const tenant = await carillon.createTenant('many templates')
  const keys = ['a', 'b', 'c'].flatMap(name => ['de', 'en'].map(locale => `${name}/sms/${locale}`))
  for (const key of keys) await put(key, { body: 'x' }, tenant.key)
  const rows = await carillon.readAll('/v1/templates', 2, tenant.key)
  expect(rows.map(row => `${row.name}/${row.channel}/${row.locale}`)).toEqual(keys)
})

it('another tenant neither sees nor changes a template', async () => {
  await put('private/sms/en', { body: 'x' })
  const { key } = await carillon.createTenant('nosy templates')
  for (const method of ['GET', 'DELETE'] as const)
    expect((await carillon.request(method, '/v1/templates/private/sms/en', { key })).status).toBe(404)
  expect((await carillon.request('GET', '/v1/templates', { key })).body.data).toEqual([])
  expect((await put('private/sms/en', { body: 'mine' }, key)).status).toBe(200)
  expect((await get('private/sms/en')).body.body).toBe('x')
})

it('templates need the scopes templates:read and templates:write', async () => {
  const reader = (await carillon.createKey({ name: 'r', scopes: ['templates:read'] })).key
  expect((await get('private/sms/en', reader)).status).toBe(200)
  expect(problemOf(await put('private/sms/en', { body: 'y' }, reader)).code).toBe('forbidden')
  const other = (await carillon.createKey({ name: 'o', scopes: ['types:read'] })).key
  expect(problemOf(await get('private/sms/en', other)).code).toBe('forbidden')
})

it('a template can be deleted', async () => {
  await put('gone/sms/en', { body: 'x' })
  expect((await carillon.request('DELETE', '/v1/templates/gone/sms/en')).status).toBe(204)
  expect(problemOf(await carillon.request('DELETE', '/v1/templates/gone/sms/en')).code).toBe('not_found')
})

it('a preview shows the draft with its samples, or with given data instead', {
  tags: 'S002-12',
}, async () => {
  await put('preview/email/en', { ...MAIL, body: '<p>Dear {{ order.name | default: "you" }}</p>' })
  const samples = (await post('preview/email/en/preview')).body
  expect(samples).toMatchObject({ subject: 'Order 1842', text: expect.stringContaining('Dear you') })
  expect(samples.html).toContain('<title>Order 1842</title>')
  const data = { order: { number: 7, name: '<Ada>' } }
  const given = (await post('preview/email/en/preview', { data })).body
  expect(given.subject).toBe('Order 7')
  expect(given.html).toContain('Dear &lt;Ada&gt;')
  expect(given.text).toContain('Dear <Ada>')
})

it('a preview works for an unsaved template, and saves nothing', async () => {
  const before = await carillon.rowCounts()
  const template = {
    title: 'Hi {{ name }}',
    body: "{{ 'cart.items' | t: count: n }}",
    variables: [{ name: 'name' }, { name: 'n' }],
  }
  const answer = await post('preview', { channel: 'push', template, data: { name: 'Ada', n: 3 } })
  expect(answer.body).toEqual({ subject: 'Hi Ada', text: '3 items', html: null })
  expect(await carillon.rowCounts()).toEqual(before)
})

it('a preview refuses a missing variable and names it', { tags: 'S002-12' }, async () => {
  const template = { body: '{{ name }}', variables: [{ name: 'name' }] }
  const problem = problemOf(await post('preview', { channel: 'sms', template }))
  expect(problem).toMatchObject({
    code: 'render_failed',
    status: 422,
    detail: expect.stringMatching(/no "name"/),
  })
})

it('a preview refuses a template that saving refuses', async () => {
  const problem = problemOf(await post('preview', { channel: 'sms', template: { body: '{{ x }}' } }))
  expect(problem).toMatchObject({
    code: 'invalid_template',
    errors: [{ field: 'body', line: 1, column: 4 }],
  })
})

it('a preview reports a translation that is missing only for its data', async () => {
  const template = { body: '{{ key | t }}', variables: [{ name: 'key', sample: 'no.such' }] }
  const problem = problemOf(await post('preview', { channel: 'sms', template }))
  expect(problem.detail).toMatch(/no translation "no.such"/)
})

describeColumns(carillon, {
  longest: [
    [
      'notification_templates.name',
      100,
      `insert into notification_templates (id, tenant_id, name, channel, locale, body) values (gen_random_uuid(), $1, $2, 'sms', 'en', '')`,
    ],
    [
      'notification_templates.subject',
      255,
      `insert into notification_templates (id, tenant_id, name, channel, locale, subject, body) values (gen_random_uuid(), $1, gen_random_uuid(), 'email', 'en', $2, '')`,
    ],
  ],
})
