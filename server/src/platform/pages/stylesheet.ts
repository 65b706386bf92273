/** The style sheets in server/styles. Pages carry theirs inline, so that they need nothing else from the network. */
import { readFileSync } from 'node:fs'

const FOLDER = new URL('../../../styles/', import.meta.url)

/** The tokens and what all pages have in common, then the page's own sheet. */
export function loadStyle(...names: string[]): string {
  return ['tokens', 'pages', ...names]
    .map(name => readFileSync(new URL(`${name}.css`, FOLDER), 'utf8'))
    .join('\n')
}
