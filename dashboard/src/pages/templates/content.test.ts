import type { TemplateSummary } from '@carillon/contract'
import { describe, expect, it } from 'vitest'
import { asText, isSame, starterOf, templatePath, toInput } from './content.ts'
import { groupByName, sayState } from './groups.ts'
import { mistakesOf, undeclaredIn } from './mistakes.ts'

describe('what is sent of a template', () => {
  it('has only the fields of the channel', () => {
    expect(Object.keys(toInput('email', starterOf('email'))).sort()).toEqual([
      'body',
      'layout',
      'subject',
      'variables',
    ])
    expect(Object.keys(toInput('push', starterOf('push'))).sort()).toEqual(['body', 'title', 'variables'])
    expect(Object.keys(toInput('sms', starterOf('sms'))).sort()).toEqual(['body', 'variables'])
  })

  it('is compared and shown as a whole', () => {
    const mail = starterOf('email')
    expect(isSame(mail, { ...mail })).toBe(true)
    expect(isSame(mail, { ...mail, text: 'Hello' })).toBe(false)
    expect(asText({ ...mail, text: 'Plain' })).toMatch(/^subject: Hello[\s\S]*layout: default[\s\S]*Plain$/)
  })

  it('has an address whatever its name is', () => {
    expect(templatePath('a/b c', 'email', 'pt-BR')).toBe('/templates/a%2Fb%20c/email/pt-BR')
  })
})

const summary = (name: string, changes: Partial<TemplateSummary> = {}): TemplateSummary => ({
  name,
  channel: 'email',
  locale: 'en',
  is_active: true,
  published_version: 1,
  created_by: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  ...changes,
})

describe('templates of one name', () => {
  it('are one row with the newest time', () => {
    const groups = groupByName([
      summary('a'),
      summary('a', { locale: 'de', updated_at: '2026-02-01T00:00:00Z' }),
      summary('b'),
    ])
    expect(groups.map(({ name, members, updated_at }) => [name, members.length, updated_at])).toEqual([
      ['a', 2, '2026-02-01T00:00:00Z'],
      ['b', 1, '2026-01-01T00:00:00Z'],
    ])
  })

  it('say what is not as it should be', () => {
    expect(sayState({ members: [summary('a')] }).label).toBe('published')
    expect(sayState({ members: [summary('a', { published_version: null })] }).label).toBe('draft')
    expect(sayState({ members: [summary('a'), summary('a', { is_active: false })] }).label).toBe('1 off')
  })
})

describe('mistakes', () => {
  const errors = [
    { field: 'subject', message: '"a" is not declared in variables', line: 1, column: 7 },
    { field: 'template.body', message: '"a" is not declared in variables', line: 3, column: 1 },
    { field: 'layout', message: 'There is no layout "x".' },
  ]

  it('are marked at their lines, or said at their field', () => {
    const { marked, said } = mistakesOf(errors)
    expect(marked.subject).toHaveLength(1)
    expect(marked.body).toEqual([{ line: 3, column: 1, message: '"a" is not declared in variables' }])
    expect(said).toEqual({ layout: 'There is no layout "x".' })
  })

  it('name what is not declared, once', () => {
    expect(undeclaredIn(errors)).toEqual(['a'])
  })
})
