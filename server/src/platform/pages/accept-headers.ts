/** The Accept headers of browsers. */

/** The languages of an Accept-Language header, the preferred one first; without those that are refused, and without *. */
export function acceptedLanguages(header: string | undefined): string[] {
  return weighted(header)
    .map(({ name }) => name)
    .filter(name => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(name))
}

/** Whether an Accept header asks for a page, as browsers do. Programs, which accept anything, do not. */
export function prefersHtml(header: string | undefined): boolean {
  const types = weighted(header)
  const weightOf = (...names: string[]) =>
    Math.max(0, ...types.map(({ name, q }) => (names.includes(name) ? q : 0)))
  const ofPage = weightOf('text/html', 'application/xhtml+xml')
  return ofPage > 0 && ofPage >= weightOf('application/json', 'application/problem+json')
}

/** A header is sent by anybody: only so much of it is read. */
const MAX_LENGTH = 1000

function weighted(header = ''): { name: string; q: number }[] {
  return header
    .slice(0, MAX_LENGTH)
    .split(',')
    .map(part => {
      const [name = '', ...parameters] = part.split(';').map(text => text.trim())
      const q = parameters.find(parameter => parameter.startsWith('q='))
      const weight = q === undefined ? 1 : Number(q.slice(2))
      return { name: name.toLowerCase(), q: Number.isFinite(weight) ? weight : 0 }
    })
    .filter(({ name, q }) => name !== '' && q > 0)
    .sort((a, b) => b.q - a.q)
}
