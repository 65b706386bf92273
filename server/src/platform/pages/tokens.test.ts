import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Colors = Record<string, [number, number, number]>

const source = readFileSync(new URL('../../../../inbox/styles/tokens.css', import.meta.url), 'utf8')
const [light, dark] = source.split('@media (prefers-color-scheme: dark)').map(colorsIn)

function colorsIn(css: string): Colors {
  const found = css.matchAll(/--([a-z-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)
  return Object.fromEntries(
    [...found].map(([, name, ...parts]) => [name, parts.map(Number) as [number, number, number]]),
  )
}

/** The luminance of WCAG 2, by the matrices of the CSS Color 4 specification. */
function luminance([lightness, chroma, hue]: [number, number, number]): number {
  const angle = (hue * Math.PI) / 180
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(part => Math.min(1, Math.max(0, part)))
  return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!
}

function contrast(colors: Colors, one: string, other: string): number {
  const [high, low] = [luminance(colors[one]!), luminance(colors[other]!)].sort((x, y) => y - x)
  return (high! + 0.05) / (low! + 0.05)
}

describe.each([
  ['light', light!],
  ['dark', dark!],
])('the %s colours', (_name, colors) => {
  it.each([
    ...['bg', 'surface', 'raised'].flatMap(ground => ['text', 'muted', 'accent'].map(text => [text, ground])),
    ['accent-text', 'accent'],
    ['text', 'idle-soft'],
    ...['ok', 'warn', 'bad', 'info', 'idle'].flatMap(status => [
      [status, `${status}-soft`],
      [status, 'surface'],
    ]),
  ])('%s can be read on %s', (text, ground) => {
    expect(contrast(colors, text!, ground!)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(['surface', 'raised', 'warn-soft'])('the borders of controls show on %s', ground => {
    expect(contrast(colors, 'border-control', ground)).toBeGreaterThanOrEqual(3)
  })
})

it('both have the same names', () => {
  expect(Object.keys(dark!)).toEqual(Object.keys(light!))
})

it('the dark surface is no lighter than the one that a brand’s accent is shaded for', () => {
  // #1d2026, see content/branding.
  expect(luminance(dark!.surface!)).toBeLessThanOrEqual(0.0144)
})
