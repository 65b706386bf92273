import { expect, it } from 'vitest'
import { createTemplateEngine } from './template-engine.ts'
import { findUsage } from './usage.ts'

const usageOf = (source: string) => findUsage(createTemplateEngine('plain'), source)
const variablesOf = (source: string) => usageOf(source).variables.map(({ name }) => name)

it.each([
  ['an output', '{{ a }}', ['a']],
  ['a path, by its first name', '{{ a.b[c].d }}', ['a', 'c']],
  ['filters', '{{ "x" | append: a | default: b }}', ['a', 'b']],
  [
    'conditions',
    '{% if a == b and c %}{% elsif d %}{% endif %}{% unless e %}{% endunless %}',
    ['a', 'b', 'c', 'd', 'e'],
  ],
  ['a case', '{% case a %}{% when b %}{{ c }}{% endcase %}', ['a', 'b', 'c']],
  ['a loop, without the loop variable', '{% for i in a %}{{ i.x }}{{ forloop.index }}{% endfor %}', ['a']],
  ['an output after a loop with a variable of that name', '{% for i in a %}{% endfor %}{{ i }}', ['a', 'i']],
  ['assignments', '{% assign x = a %}{{ x }}{% capture y %}{{ b }}{% endcapture %}{{ y }}', ['a', 'b']],
  ['the arguments of a partial', "{% render 'p', x: a, y: 'b' %}", ['a']],
  ['parameters of translations', "{{ 'k' | t: count: a }}", ['a']],
  ['comments and raw text (none)', '{% comment %}{{ a }}{% endcomment %}{% raw %}{{ b }}{% endraw %}', []],
  ['literals (none)', '{{ "a" }}{{ 1 }}{{ true }}{{ nil }}{{ empty }}{{ blank }}{{ (1..3) }}', []],
])('findUsage finds the variables of %s', (_what, source, names) => {
  expect(variablesOf(source)).toEqual(names)
})

it('findUsage gives the first position of each variable', () => {
  expect(usageOf('x\n  {{ a }} {{ a }}').variables).toEqual([{ name: 'a', line: 2, column: 6 }])
})

it('findUsage lists partials with the arguments passed to them', () => {
  expect(usageOf("{% if a %}{% render 'button', url: u, label: 'x' %}{% endif %}").parts).toEqual([
    { name: 'button', passes: ['url', 'label'], lacksAlias: false, line: 1, column: 11 },
  ])
  expect(usageOf("{% render 'row' for rows as row %}").parts[0]).toMatchObject({ passes: ['row'] })
})

it('findUsage lists a partial with a computed name, and a loop of one without an alias', () => {
  expect(usageOf('{% render name %}').parts[0]?.name).toBeUndefined()
  expect(usageOf("{% render 'row' for rows %}").parts[0]).toMatchObject({ lacksAlias: true })
})

it('findUsage finds the translations whose key is a literal', () => {
  const source =
    "{{ 'a.b' | t: count: n, who: 'x' }}\n{% assign x = 'c' | t %}{{ key | t }}{{ 'd' | append: 'e' | t }}"
  expect(usageOf(source).translations).toEqual([
    { key: 'a.b', parameters: ['count', 'who'], line: 1, column: 1 },
    { key: 'c', parameters: [], line: 2, column: 1 },
  ])
})
