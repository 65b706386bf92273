import { describe, expect, it } from 'vitest'
import { escapeMarkdown, markdownText } from './markdown.ts'

describe('text in Markdown', () => {
  it.each([
    ['plain text, 3 - 2 = 1.', 'plain text, 3 - 2 = 1.'],
    ['**bold** and _thin_', '\\*\\*bold\\*\\* and \\_thin\\_'],
    ['[your bank](https://evil.example/a_b)', '\\[your bank\\]\\(https://evil.example/a_b)'],
    ['see https://a.example/x_y_z now_', 'see https://a.example/x_y_z now\\_'],
    ['# big\n> quote\n- one\n1. two', '\\# big\n\\> quote\n\\- one\n1\\. two'],
    ['`code` ||hidden|| ~~gone~~ \\', '\\`code\\` \\|\\|hidden\\|\\| \\~\\~gone\\~\\~ \\\\'],
    ['<@123>', '\\<@123\\>'],
  ])('%j is %j', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped)
  })

  it('keeps to the limit with its escapes', () => {
    const text = markdownText('*'.repeat(3000), 2000)
    expect(text.length).toBeLessThanOrEqual(2000)
    expect(text.length).toBeGreaterThan(1900)
    expect(text).toMatch(/^(\\\*)+…$/)
  })
})
