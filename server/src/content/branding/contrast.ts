/** Readable colours: WCAG contrast, and the nearest shade that has enough of it. */

type Rgb = [number, number, number]

/** What WCAG AA requires of text. */
const MIN_TEXT_CONTRAST = 4.5

export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(parse(one)), luminance(parse(other))].sort((a, b) => b - a)
  return (light! + 0.05) / (dark! + 0.05)
}

/** Black or white, whichever is easier to read on the background. */
export function readableOn(background: string): string {
  return contrast('#ffffff', background) >= contrast('#000000', background) ? '#ffffff' : '#000000'
}

/** The colour itself if it is readable on the background, otherwise mixed with black or white until it is. */
export function shadeFor(color: string, background: string): string {
  const target = parse(readableOn(background))
  const from = parse(color)
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = format(from.map((part, i) => part + (target[i]! - part) * share) as Rgb)
    if (contrast(mixed, background) >= MIN_TEXT_CONTRAST) return mixed
  }
  return format(target)
}

function parse(color: string): Rgb {
  return [1, 3, 5].map(start => Number.parseInt(color.slice(start, start + 2), 16)) as Rgb
}

function format(color: Rgb): string {
  return `#${color.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

/** As WCAG 2 defines it. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map(part => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
