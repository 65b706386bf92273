import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { type Answers, page, problem, startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'
import { aTemplate } from '../oversight-rows.fixture.ts'
import { uuid } from '../rows.fixture.ts'

const FILES = {
  'branding.json': '{"name": "Shop"}',
  'layouts/plain.html': '<html><head></head><body>{{ content }}</body></html>',
  'partials/button.html': '<a href="{{ url }}">{{ label }}</a>',
  'translations/de.json': '{"hello": "Hallo"}',
  'welcome/variables.json': '[{"name": "name", "sample": "Ada"}]',
  'welcome/email.en.html':
    '---\nsubject: Hello {{ name }}: welcome\nlayout: plain\n---\n<p>Hi {{ name }}</p>\n',
  'welcome/email.de.html': '---\nsubject: Hallo\nlayout: none\n---\n<p>Hallo</p>',
  'welcome/email.de.txt': 'Hallo',
  'welcome/push.en.txt': '---\ntitle: Hello\n---\nHi {{ name }}',
  'welcome/sms.en.txt': 'Hi {{ name }}',
  '.git/config': 'no template',
  'README.md': 'no template either',
}
const VARIABLES = [{ name: 'name', sample: 'Ada' }]

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(inject('scratchDir'), 'templates-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const version = (number: number) => ({
  id: uuid(1),
  name: 'welcome',
  channel: 'email',
  locale: 'en',
  version: number,
  is_current: true,
  restored_from: null,
  replaced_by: null,
  parts: [],
  published_by: null,
  published_at: '2026-01-31T12:00:00Z',
})
const ANSWERS: Answers = {
  'PATCH /v1/branding': () => ({}),
  'PUT /v1/translations/de': () => ({}),
  'PUT /v1/template-parts/layout/plain': () => ({}),
  'PUT /v1/template-parts/partial/button': () => ({}),
  'PUT /v1/templates/welcome/email/en': () => aTemplate({ published_version: 3 }),
  'POST /v1/templates/welcome/email/en/publish': () => version(3),
  'PUT /v1/templates/welcome/email/de': () => aTemplate({ published_version: null }),
  'POST /v1/templates/welcome/email/de/publish': () => version(1),
  'PUT /v1/templates/welcome/push/en': () => aTemplate({ published_version: 1 }),
  'POST /v1/templates/welcome/push/en/publish': () => version(2),
  'PUT /v1/templates/welcome/sms/en': () => aTemplate({ published_version: 1 }),
  'POST /v1/templates/welcome/sms/en/publish': () => version(2),
}

describe('templates push', () => {
  it('saves what templates use, then the templates, and publishes what changed', async () => {
    const api = await startFakeApi(ANSWERS)
    const shown = await carillon(api.url, ['templates', 'push', folderWith(FILES), '--replace-waiting'])
    expect(shown).toEqual({
      code: 0,
      stderr: '',
      stdout: `what              result
branding          saved
translations de   saved
layout plain      saved
partial button    saved
welcome email de  published as version 1
welcome email en  version 3, unchanged
welcome push en   published as version 2
welcome sms en    published as version 2
`,
    })
    const publish = { only_if_changed: true, replace_waiting: true }
    expect(api.calls).toEqual([
      ['PATCH /v1/branding', { name: 'Shop' }],
      ['PUT /v1/translations/de', { messages: { hello: 'Hallo' } }],
      ['PUT /v1/template-parts/layout/plain', { source: FILES['layouts/plain.html'] }],
      ['PUT /v1/template-parts/partial/button', { source: FILES['partials/button.html'] }],
      [
        'PUT /v1/templates/welcome/email/de',
        { subject: 'Hallo', layout: null, body: '<p>Hallo</p>', text: 'Hallo', variables: VARIABLES },
      ],
      ['POST /v1/templates/welcome/email/de/publish', publish],
      [
        'PUT /v1/templates/welcome/email/en',
        {
          subject: 'Hello {{ name }}: welcome',
          layout: 'plain',
          body: '<p>Hi {{ name }}</p>\n',
          variables: VARIABLES,
        },
      ],
      ['POST /v1/templates/welcome/email/en/publish', publish],
      ['PUT /v1/templates/welcome/push/en', { title: 'Hello', body: 'Hi {{ name }}', variables: VARIABLES }],
      ['POST /v1/templates/welcome/push/en/publish', publish],
      ['PUT /v1/templates/welcome/sms/en', { body: 'Hi {{ name }}', variables: VARIABLES }],
      ['POST /v1/templates/welcome/sms/en/publish', publish],
    ])
  })

  it('publishes nothing with --draft', async () => {
    const api = await startFakeApi(ANSWERS)
    const folder = folderWith({ 'welcome/sms.en.txt': 'Hi' })
    const shown = await carillon(api.url, ['templates', 'push', folder, '--draft', '--json'])
    expect(JSON.parse(shown.stdout)).toEqual([{ what: 'welcome sms en', result: 'saved as draft' }])
    expect(api.calls).toEqual([['PUT /v1/templates/welcome/sms/en', { body: 'Hi', variables: [] }]])
  })

  it.each([
    ['a file of no channel', { 'welcome/pigeon.en.txt': 'x' }, /pigeon\.en\.txt: expected a name such as/],
    ['a file without language', { 'welcome/sms.txt': 'x' }, /expected a name such as/],
    [
      'a malformed head',
      { 'welcome/push.en.txt': '---\ncolour: red\n---\nx' },
      /"colour: red": expected one of/,
    ],
    ['broken JSON', { 'welcome/variables.json': '[' }, /variables\.json: /],
  ])('refuses %s before it saves anything', async (_what, files, message) => {
    const api = await startFakeApi(ANSWERS)
    const shown = await carillon(api.url, ['templates', 'push', folderWith(files)])
    expect(shown.code).toBe(2)
    expect(shown.stderr).toMatch(message)
    expect(api.calls).toEqual([])
  })

  it('names a folder that is not there', async () => {
    const shown = await carillon('http://127.0.0.1:1', ['templates', 'push', '/no/such/folder'])
    expect(shown).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\/no\/such\/folder cannot be read/),
    })
  })

  it('shows where the API finds a mistake, and stops', async () => {
    const errors = [{ field: 'body', message: '"nmae" is not declared in variables', line: 2, column: 7 }]
    const api = await startFakeApi({
      'PUT /v1/templates/welcome/sms/en': () => problem('invalid_template', 'body, line 2: …', { errors }),
    })
    const shown = await carillon(api.url, ['templates', 'push', folderWith({ 'welcome/sms.en.txt': 'x' })])
    expect(shown.code).toBe(1)
    expect(shown.stderr).toContain('welcome sms en: The template cannot be used')
    expect(shown.stderr).toContain('body, line 2, column 7: "nmae" is not declared in variables')
  })
})

describe('templates', () => {
  it('list shows every template', async () => {
    const draft = aTemplate({ channel: 'sms', published_version: null, is_active: false })
    const api = await startFakeApi({ 'GET /v1/templates': () => page([aTemplate(), draft]) })
    const { stdout } = await carillon(api.url, ['templates', '--name', 'welcome'])
    expect(stdout).toBe(`name     channel  locale  version  state   changed
welcome  email    en      3        active  2026-01-31 12:00:01Z
welcome  sms      en      draft    off     2026-01-31 12:00:01Z
`)
    expect(api.calls).toEqual([['GET /v1/templates', { name: 'welcome', limit: '20' }]])
  })

  it('show prints the draft, without obeying what is written in it', async () => {
    const body = '<p>\n  Hi\u001b[31m\n</p>'
    const api = await startFakeApi({ 'GET /v1/templates/welcome/email/en': () => aTemplate({ body }) })
    const { stdout } = await carillon(api.url, ['templates', 'show', 'welcome', 'email'])
    expect(stdout).toBe(`template   welcome email en
version    3
state      active
changed    2026-01-31 12:00:01Z
variables  name note?
layout     default
subject    Hello {{ name }}

<p>
  Hi [31m
</p>
`)
  })

  it('preview shows the text, or the HTML for a browser', async () => {
    const api = await startFakeApi({
      'POST /v1/templates/welcome/email/de/preview': () => ({ subject: 'S', text: 'T', html: '<p>T</p>' }),
    })
    const args = ['templates', 'preview', 'welcome', 'email', 'de', '--data', '{"name":"Ada"}', '--at', '2']
    expect((await carillon(api.url, args)).stdout).toBe('S\n\nT\n')
    expect((await carillon(api.url, [...args, '--html'])).stdout).toBe('<p>T</p>\n')
    expect(api.calls[0]).toEqual([
      'POST /v1/templates/welcome/email/de/preview',
      { data: { name: 'Ada' }, version: 2 },
    ])
    const wrong = await carillon(api.url, ['templates', 'preview', 'welcome', 'email', '--data', '[]'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/must be a JSON object/) })
  })
})
