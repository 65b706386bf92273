/** How mails make a colour readable, so that a brand can be seen before it is saved. The server has the last word. */
type Rgb = [number, number, number]

const TEXT_CONTRAST = 4.5

const parse = (colour: string) =>
  [1, 3, 5].map(start => Number.parseInt(colour.slice(start, start + 2), 16)) as Rgb
const format = (colour: number[]) =>
  `#${colour.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map(part => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(parse(one)), luminance(parse(other))].sort((a, b) => b - a)
  return (light! + 0.05) / (dark! + 0.05)
}

export const readableOn = (ground: string): string =>
  contrast('#ffffff', ground) >= contrast('#000000', ground) ? '#ffffff' : '#000000'

export function shadeFor(colour: string, ground: string): string {
  const [from, target] = [parse(colour), parse(readableOn(ground))]
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = format(from.map((part, i) => part + (target[i]! - part) * share))
    if (contrast(mixed, ground) >= TEXT_CONTRAST) return mixed
  }
  return format(target)
}
