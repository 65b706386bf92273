import { describe, expect, it } from 'vitest'
import { createTemplateEngine } from './template-engine.ts'
import { findUsage } from './usage.ts'

const usageOf = (source: string) => findUsage(createTemplateEngine('plain'), source)
const variablesOf = (source: string) => usageOf(source).variables.map(({ name }) => name)

describe('variables', () => {
  it.each([
    ['an output', '{{ a }}', ['a']],
    ['its path, by its first name', '{{ a.b[c].d }}', ['a', 'c']],
    ['filters', '{{ "x" | append: a | default: b }}', ['a', 'b']],
    [
      'conditions',
      '{% if a == b and c %}{% elsif d %}{% endif %}{% unless e %}{% endunless %}',
      ['a', 'b', 'c', 'd', 'e'],
    ],
    ['a case', '{% case a %}{% when b %}{{ c }}{% endcase %}', ['a', 'b', 'c']],
    ['a loop, but not what it defines', '{% for i in a %}{{ i.x }}{{ forloop.index }}{% endfor %}', ['a']],
    ['what is used after a loop of that name', '{% for i in a %}{% endfor %}{{ i }}', ['a', 'i']],
    ['assignments', '{% assign x = a %}{{ x }}{% capture y %}{{ b }}{% endcapture %}{{ y }}', ['a', 'b']],
    ['what is passed to a partial', "{% render 'p', x: a, y: 'b' %}", ['a']],
    ['parameters of translations', "{{ 'k' | t: count: a }}", ['a']],
    ['neither comments nor raw text', '{% comment %}{{ a }}{% endcomment %}{% raw %}{{ b }}{% endraw %}', []],
    ['no literals', '{{ "a" }}{{ 1 }}{{ true }}{{ nil }}{{ empty }}{{ blank }}{{ (1..3) }}', []],
  ])('finds %s', (_what, source, names) => {
    expect(variablesOf(source)).toEqual(names)
  })

  it('says where each is used first', () => {
    expect(usageOf('x\n  {{ a }} {{ a }}').variables).toEqual([{ name: 'a', line: 2, column: 6 }])
  })
})

describe('partials', () => {
  it('come with what is passed to them', () => {
    expect(usageOf("{% if a %}{% render 'button', url: u, label: 'x' %}{% endif %}").parts).toEqual([
      { name: 'button', passes: ['url', 'label'], lacksAlias: false, line: 1, column: 11 },
    ])
    expect(usageOf("{% render 'row' for rows as row %}").parts[0]).toMatchObject({ passes: ['row'] })
  })

  it('without a literal name, or with none, are found too', () => {
    expect(usageOf('{% render name %}').parts[0]?.name).toBeUndefined()
    expect(usageOf("{% render 'row' for rows %}").parts[0]).toMatchObject({ lacksAlias: true })
  })
})

it('translations are found wherever their key is a literal', () => {
  const source =
    "{{ 'a.b' | t: count: n, who: 'x' }}\n{% assign x = 'c' | t %}{{ key | t }}{{ 'd' | append: 'e' | t }}"
  expect(usageOf(source).translations).toEqual([
    { key: 'a.b', parameters: ['count', 'who'], line: 1, column: 1 },
    { key: 'c', parameters: [], line: 2, column: 1 },
  ])
})
