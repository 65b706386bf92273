import { expect, it } from 'vitest'
import { Refusal } from '../../../platform/calls/refusal.ts'
import { createTemplateEngine, type Mode } from '../../liquid/template-engine.ts'
import { checkMail, compileMail } from './compile-mail.ts'
import { inlineCss } from './inline-css.ts'
import { tidyText } from './text-part.ts'

const LAYOUT =
  '<!doctype html><html><head><style>p{color:red}@media print{p{color:black}}</style></head><body><div>{{ content }}</div></body></html>'
const PARTIALS = {
  row: '<tr><td>{{ item.name }}</td><td>{{ item.price }}</td></tr>',
  button: '<p><a href="{{ url }}">{{ label }}</a></p>',
  outer: "<p>[{% render 'inner', x: x %}]</p>",
  inner: '<b>{{ x }}</b>',
  box: '<i>{{ content }}</i>',
  circle: "{% render 'circle' %}",
  bomb: "{% render 'bomb2' %}".repeat(50),
  bomb2: "{% render 'bomb3' %}".repeat(50),
  bomb3: "{% render 'bomb4' %}".repeat(50),
  bomb4: 'boom'.repeat(50),
}
const engine = createTemplateEngine('plain')
const partials = new Map(
  Object.entries(PARTIALS).map(([name, text]) => [name, { field: 'body', part: `partial "${name}"`, text }]),
)
const layoutSource = { field: 'layout', part: 'layout "default"', text: LAYOUT }
const compile = (body: string, layout: typeof layoutSource | null = layoutSource) =>
  compileMail({ field: 'body', text: body }, layout ?? undefined, { engine, partials })

function fill(mode: Mode, source: string, parts: Record<string, string>, variables: object): string {
  const own = createTemplateEngine(mode, parts)
  return own.renderSync(own.parse(source), variables)
}
async function mail(body: string, variables: object = {}) {
  const { html, html_parts, text, text_parts } = await compile(body)
  return {
    html: fill('html', html, html_parts, variables),
    text: tidyText(fill('stripped', text, text_parts, variables)),
  }
}

function mistakeOf(body: string): unknown {
  try {
    checkMail({ field: 'body', text: body }, layoutSource, { engine, partials })
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.errors?.[0]
  }
}

const ITEMS = [
  { name: 'Tea & pot', price: 49 },
  { name: 'Cup', price: 7 },
]

it('a compiled mail has its styles on the elements, and keeps rules that cannot be inlined', {
  tags: 'S002-12',
}, async () => {
  const { html } = await mail('<p style="margin:0">Hi</p>')
  expect(html).toContain('<p style="color: red;margin: 0">Hi</p>')
  expect(html).toContain('@media print')
})

it('a compiled mail keeps Liquid in text, attributes, styles and tables', async () => {
  const body = `<style>.c{background:{{ color }};width:{{ width }}px}</style>
<p class="c">{% if vip %}Dear {{ name }}{% else %}Hi{% endif %}, 1 < 2 &amp; <a href="{{ url }}?a=1&amp;b={{ name | url_encode }}">go</a></p>
<table>{% for item in items %}<tr><td>{{ item.name }}</td><td>{{ item.price }}</td></tr>{% endfor %}</table>`
  const { html } = await mail(body, {
    color: '#123456',
    width: 10,
    vip: true,
    name: 'A"B',
    url: 'https://x.example',
    items: ITEMS,
  })
  expect(html).toContain('background: #123456')
  expect(html).toContain('width: 10px')
  expect(html).toContain('Dear A&quot;B, 1 &lt; 2 &amp; <a href="https://x.example?a=1&amp;b=A%22B">')
  expect(html).toContain(
    '<table><tbody><tr><td>Tea &amp; pot</td><td>49</td></tr><tr><td>Cup</td><td>7</td></tr></tbody></table>',
  )
})

it('a body without a layout gets a document around it, outside its first condition', async () => {
  const { html, html_parts } = await compile('{% if vip %}<p>VIP</p>{% endif %}<p>all</p>', null)
  expect(fill('html', html, html_parts, { vip: false })).toMatch(
    /^<!DOCTYPE html><html><head><meta charset="utf-8"><\/head><body><p>all<\/p><\/body><\/html>$/,
  )
})

it('partials are rendered with their own scope, in tables and in each other', async () => {
  const body = `<table><thead><tr><th>What</th></tr></thead>{% for item in items %}{% render 'row', item: item %}{% endfor %}</table>
{% render 'button', url: 'https://x.example', label: 'Go' %}{% render 'outer', x: 'in' %}{% render 'row' for items as item %}`
  const { html } = await mail(body, { items: ITEMS })
  expect(html).toContain('</thead><tbody><tr><td>Tea &amp; pot</td>')
  expect(html).toContain('<p style="color: red;"><a href="https://x.example">Go</a></p>')
  expect(html).toContain('<p style="color: red;">[<b>in</b>]</p>')
})

it('the body stands where the layout says content, and nowhere else', async () => {
  const { html } = await mail("<p>one</p>{% render 'box', content: 'two' %}")
  expect(html).toContain('<p style="color: red;">one</p><i>two</i>')
})

it('braces written as entities stay plain text', async () => {
  const { html, text } = await mail('<p>&#123;&#123; name }} &#123;% if %} &#123;{{ 1 }}</p>')
  expect(html).toContain('{{ name }} {% if %} {1')
  expect(text).toBe('{{ name }} {% if %} {1')
})

it('a compiled mail leaves out commented Liquid, even with an open element in it', async () => {
  const { html } = await mail('<p>a</p>{% comment %}<div>{{ nothing }}{% endcomment %}')
  expect(html).toContain('<p style="color: red;">a</p></div>')
})

it('the text of a mail is made from its HTML', { tags: 'S002-12' }, async () => {
  const body = `<h1>Your order</h1><p>Dear {{ name }},<br>it left &amp; comes <b>soon</b>.</p>
<p><a class="button" href="{{ url }}">Track it</a></p>
<table>
{% for item in items %}
  <tr><td>{{ item.name }}</td><td>{{ item.price }} €</td></tr>
{% endfor %}
</table>
<ul>
{% for item in items %}
  <li>{{ item.name }}</li>
{% endfor %}
</ul>
{% if gone %}<p>Gone</p>{% endif %}<p><img src="x.png" alt="A map"></p>`
  const { text } = await mail(body, { name: 'A&B', url: 'https://x.example/1', items: ITEMS, gone: false })
  expect(text).toBe(`Your order

Dear A&B,
it left & comes soon.

Track it https://x.example/1

Tea & pot 49 €
Cup 7 €
- Tea & pot
- Cup

A map`)
})

it('the text of a mail has no HTML, even from filters', async () => {
  const body = '<p>{{ note | escape | newline_to_br | raw }}</p><p>{{ html | raw }}</p>'
  const { text } = await mail(body, { note: 'a < b\nc', html: '<p>One</p><p>Two &amp; <b>three</b></p>' })
  expect(text).toBe('a < b\nc\n\nOne\nTwo & three')
})

it.each([
  [
    'an element that is not closed',
    'x\n<div>',
    { line: 2, column: 1, message: expect.stringMatching(/not closed/) },
  ],
  ['an end tag too many', '<p></p></p>', { message: expect.stringMatching(/closes nothing/) }],
  ['crossed elements', '<b><p></b></p>', { message: '<p> is not closed before </b>', column: 4 }],
  [
    'an element that a condition opens twice',
    '{% if a %}<div>{% else %}<div class="x">{% endif %}y</div>',
    { message: expect.stringMatching(/<div> is not closed/) },
  ],
  [
    'Liquid as an attribute',
    '<p {% if a %}class="b"{% endif %}>x</p>',
    { message: expect.stringMatching(/attributes/) },
  ],
  [
    'conditions in styles',
    '<style>{% if a %}p{}{% endif %}</style>',
    { message: expect.stringMatching(/<style>/) },
  ],
  ['a script', '<script>1</script>', { message: expect.stringMatching(/<script>/) }],
  ['a frame', '<iframe src="x"></iframe>', { message: expect.stringMatching(/<iframe>/) }],
  ['a quote that hides the rest', '<a "><div>"></a>', { message: expect.stringMatching(/<a> is malformed/) }],
  [
    'a tag that breaks off',
    'x\r\n<a href="',
    { line: 2, column: 1, message: expect.stringMatching(/<a> is malformed/) },
  ],
  ['an end tag that breaks off', '<p>x</p', { message: expect.stringMatching(/end tag is incomplete/) }],
  ['a name with more than letters', '<o:p></o:p>', { message: expect.stringMatching(/<o:p> is malformed/) }],
  ['a condition of XML', '<![CDATA[x]]>', { message: 'this is not a valid comment' }],
  ['a < that begins nothing', 'a </> b', { message: expect.stringMatching(/&lt;/), column: 3 }],
  ['a comment that ends early for some', '<!--><div>-->', { message: expect.stringMatching(/comment/) }],
  [
    'a document in a document',
    '<html><head></head><body>x</body></html>',
    { message: expect.stringMatching(/second <html>/) },
  ],
  ['deep nesting', '<div>'.repeat(300), { message: expect.stringMatching(/150 deep/) }],
  [
    'a partial in an attribute',
    `<a href="{% render 'inner', x: 1 %}">x</a>`,
    { message: expect.stringMatching(/inside a tag/) },
  ],
  [
    'a partial that renders itself',
    "{% render 'circle' %}",
    { message: expect.stringMatching(/render itself/) },
  ],
  ['partials that explode', "{% render 'bomb' %}", { message: expect.stringMatching(/400000 characters/) }],
  ['reserved marks', 'carillon-mark-1x', { message: expect.stringMatching(/reserved/) }],
])('a mail with %s is refused, and the mistake names its position', (_what, body, mistake) => {
  expect(mistakeOf(body)).toMatchObject({ field: 'body', ...mistake })
})

it.each([
  [
    'Outlook’s conditions',
    '<!--[if mso]><table><tr><td><![endif]--><p>x</p><!--[if mso]></td></tr></table><![endif]-->',
  ],
  ['void elements', '<p>a<br>b<br/><img src="x"><hr></p>'],
  ['signs that are less than', '<p>1 < 2, I <3 you & all; &copy 2026 </p>'],
  [
    'a table without tbody, with one, with a caption',
    '<table><caption>c</caption><tr><td>1</td></tr><tbody><tr><td>2</td></tr></tbody></table>',
  ],
  [
    'attributes in every form',
    `<p a b=c d='e' f="g>h" data-x="{{ 1 }}" title="{% if a %}x{% endif %}">x</p>`,
  ],
])('a mail with %s is accepted', (_what, body) => {
  expect(mistakeOf(body)).toBeUndefined()
})

it('styles that take too long are stopped, and do not block the event loop', async () => {
  const rules = Array.from({ length: 3000 }, (_, i) => `*{--p${i}:red}`).join('')
  const html = `<html><head><style>${rules}</style></head><body>${'<p>x</p>'.repeat(1000)}</body></html>`
  let turns = 0
  const timer = setInterval(() => turns++, 5)
  await expect(inlineCss(html, { timeoutMs: 1000 })).rejects.toThrow(/too complicated|too large/)
  clearInterval(timer)
  // In this process, nothing else would have run until the inlining was stopped.
  expect(turns).toBeGreaterThan(1)
})

it.each([
  ['a long value on many elements', `*{--p:${'x'.repeat(100_000)}}`, '<b></b>'.repeat(5000)],
  ['selectors nested too deep', `${':not('.repeat(50_000)}a${')'.repeat(50_000)}{color:red}`, '<p>x</p>'],
])('styles that need too much memory are refused: %s', async (_what, css, body) => {
  const html = `<html><head><style>${css}</style></head><body>${body}</body></html>`
  await expect(inlineCss(html)).rejects.toThrow('the styles are too complicated')
})

it('a mistake in styles is named', async () => {
  const html = '<html><head><style>p{color:red}</style></head><body><p style="@wrong {}">x</p></body></html>'
  await expect(inlineCss(html)).rejects.toThrow('Invalid @ rule: wrong')
})

it('an import of fonts is kept, and so are the rules after it', async () => {
  const css = '@import url(https://fonts.example/a.css);@media print{p{color:black}}p{color:red}'
  const html = await inlineCss(`<html><head><style>${css}</style></head><body><p>x</p></body></html>`)
  expect(html).toContain('@import url(https://fonts.example/a.css);')
  expect(html).toMatch(/@media print\s*\{p\{color:black\}\}/)
  expect(html).toContain('<p style="color: red;">')
})

it('inlining styles loads nothing', async () => {
  const html = `<html><head><link rel="stylesheet" href="file:///etc/hostname"></head><body><p>x</p></body></html>`
  expect(await inlineCss(html)).not.toContain('style')
})
