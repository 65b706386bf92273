import { expect, it } from 'vitest'
import { createEngine } from './engine.ts'
import { describeMistake, toMistake } from './mistake.ts'

const LONG = 'x'.repeat(60_000)
const ITEMS = Array.from({ length: 5000 }, (_, i) => ({ n: i, s: `s${i}` }))
const VARIABLES = { name: 'A&B', long: LONG, tags: '<script'.repeat(8000), items: ITEMS, object: { a: 1 } }

function render(source: string, options: Parameters<typeof createEngine>[0] = {}): string {
  const engine = createEngine(options)
  return engine.renderSync(engine.parse(source), VARIABLES, { renderLimit: Number.POSITIVE_INFINITY })
}

function mistakeOf(source: string, options: Parameters<typeof createEngine>[0] = {}): string {
  try {
    return `no mistake: ${render(source, options).slice(0, 100)}`
  } catch (error) {
    return describeMistake(toMistake(error))
  }
}

const loop = (count: string, inside: string) => `{% for i in (1..${count}) %}${inside}{% endfor %}`
const HOSTILE: [what: string, source: string][] = [
  ['an endless loop', loop('1000000000', 'x')],
  ['loops in loops', loop('1000', loop('1000', loop('1000', '')))],
  ['loops that write', loop('1000', loop('1000', '{{ i }}'))],
  ['loops that decide', loop('1000', loop('1000', '{% if i == 3 %}{% endif %}'))],
  ['10 MB of output', loop('200', LONG)],
  ['10 MB in a capture', `{% capture a %}${loop('200', LONG)}{% endcapture %}`],
  ['doubling text', `{% assign a = "x" %}${loop('40', '{% assign a = a | append: a %}')}{{ a }}`],
  ['doubling lists', `{% assign a = long | split: "" %}${loop('40', '{% assign a = a | concat: a %}')}`],
  ['sorting again and again', loop('500', '{% assign a = items | sort: "s" %}')],
  ['searching again and again', loop('500', '{% assign a = items | where: "n", 3 %}')],
  ['grouping again and again', loop('500', '{% assign a = items | group_by: "s" %}')],
  ['looking through a list', loop('100000', '{% if items contains "no" %}{% endif %}')],
  ['looking through a text', loop('100000', '{% if long contains "no" %}{% endif %}')],
  ['unclosed tags to strip', loop('500', '{% assign a = tags | strip_html %}')],
  ['text to slugify', loop('500', '{% assign a = tags | slugify %}')],
  ['replacing', loop('500', '{% assign a = long | replace: "x", "yyyyyyyyyyyyyyyyyyyy" %}')],
  ['a number of a thousand million digits', '{{ "2026-01-01" | date: "%1000000000d" }}'],
  ['dates without end', loop('100000', '{{ "2026-01-01" | date: "%A %B" }}')],
  ['a chain of ten thousand filters', `{{ long ${'| upcase '.repeat(10_000)}}}`],
  ['hashing', loop('5000', '{% assign a = long | sha256 %}')],
  ['a list joined by a long text', `{{ items | map: "s" | join: "${LONG.slice(0, 1000)}" }}`],
  ['ten thousand nested conditions', `${'{% if name %}'.repeat(10_000)}${'{% endif %}'.repeat(10_000)}`],
  ['a partial that renders itself', "{% render 'again' %}"],
]

// The budget decides and not the clock, which would blame the template for a busy machine.
it.each(HOSTILE)('the work budget stops %s', { tags: 'S002-12' }, (_what, source) => {
  const mistake = mistakeOf(source, { parts: { again: "x{% render 'again' %}" } })
  expect(mistake).toMatch(/more work or writes more text|nested too deeply/)
})

it.each([
  ['a constructor', '{{ object.constructor }}'],
  ['a prototype', '{{ object.__proto__ }}'],
  ['what every object inherits', '{{ toString }}'],
  ['a prototype by name', '{% assign p = "__proto__" %}{{ object[p] }}'],
  ['the engine', '{{ this }}{{ globals }}{{ process }}'],
])('a template cannot reach %s', { tags: 'S002-12' }, (_what, source) => {
  expect(mistakeOf(source)).toMatch(/there is no value for/)
})

it.each([
  ['include tag that reads files', '{% include "/etc/hostname" %}'],
  ['layout tag that reads files', '{% layout "/etc/hostname" %}'],
  ['filter that runs code', '{{ items | where_exp: "i", "i.n == 1" }}'],
])('the template language has no %s', (_what, source) => {
  expect(mistakeOf(source)).toMatch(/not found|undefined filter/)
})

it('the render tag reads no files', () => {
  expect(mistakeOf('{% render "/etc/hostname" %}')).toMatch(/ENOENT|Failed to lookup|not found/i)
})

it('an inserted value is escaped in HTML, except with the raw filter', { tags: 'S002-12' }, () => {
  expect(render('{{ name }}|{{ name | raw }}', { escapesHtml: true })).toBe('A&amp;B|A&B')
  expect(render(`{{ '<a href="x">' | append: "'" }}`, { escapesHtml: true })).toBe(
    '&lt;a href=&quot;x&quot;&gt;&#39;',
  )
})

it('an inserted value is not escaped in plain text', () => {
  expect(render('{{ name }}')).toBe('A&B')
})

it('a missing value is a mistake, except in a condition or with a default', { tags: 'S002-12' }, () => {
  expect(mistakeOf('Dear\n{{ nmae }}')).toBe('line 2, column 4: there is no value for "nmae"')
  expect(mistakeOf('{{ object.b }}')).toMatch(/there is no value for "object.b"/)
  expect(render('{% if nmae %}x{% endif %}{{ nmae | default: "you" }}')).toBe('you')
})

it('an object can only be inserted as JSON', () => {
  expect(mistakeOf('{{ object }}', { escapesHtml: true })).toMatch(/name one of its fields/)
  expect(mistakeOf('{{ object | raw }}')).toMatch(/name one of its fields/)
  expect(render('{{ object | json }}')).toBe('{"a":1}')
})

it('the date filter uses UTC by default', () => {
  const source = '{{ "2026-03-01T23:30:00Z" | date: "%d. %B %H:%M" }}'
  expect(render(source)).toBe('01. March 23:30')
})

it('a table of 200 rows stays within the work budget', () => {
  const engine = createEngine({ escapesHtml: true })
  const rows = Array.from({ length: 200 }, (_, i) => ({ name: `Item & ${i}`, price: i }))
  const source = '{% for row in rows %}<tr><td>{{ row.name }}</td><td>{{ row.price }}</td></tr>{% endfor %}'
  expect(engine.renderSync(engine.parse(source), { rows })).toContain('<td>Item &amp; 199</td><td>199</td>')
})
