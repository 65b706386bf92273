import { expect, test } from 'vitest'
import { checkPages } from './check-pages.mjs'

const manifest = {
  'index.html': { file: 'index.js', imports: ['_shared.js'], css: ['index.css'], isEntry: true },
  '_shared.js': { file: 'shared.js' },
  'src/pages/overview/overview-page.tsx': {
    file: 'overview.js',
    imports: ['index.html'],
    isDynamicEntry: true,
  },
  'src/pages/people/people-page.tsx': {
    file: 'people.js',
    imports: ['index.html', '_list.js'],
    isDynamicEntry: true,
  },
  '_list.js': { file: 'list.js', imports: ['_shared.js'] },
  'src/ui/time-chart.tsx': { file: 'chart.js', imports: ['index.html'], isDynamicEntry: true },
}
const limits = { first: 100, page: 20, part: 50, style: 10 }
const even = (bytes: number) => () => bytes

test('counts what a page adds to what is loaded already', () => {
  const { sizes, violations } = checkPages(manifest, even(5), limits)
  expect(Object.fromEntries(sizes.map(({ name, bytes }) => [name, bytes]))).toEqual({
    'first load': 20,
    'src/pages/overview/overview-page.tsx': 5,
    'src/pages/people/people-page.tsx': 10,
    'src/ui/time-chart.tsx': 5,
    'style sheets': 5,
  })
  expect(violations).toEqual([])
})

test('names what is too large', () => {
  const { violations } = checkPages(manifest, even(15), limits)
  expect(violations.map(({ name }) => name)).toEqual(['src/pages/people/people-page.tsx', 'style sheets'])
})

test('says what to do when there is no build', () => {
  expect(() => checkPages({}, even(1), limits)).toThrow('run "npm run build" first')
})
