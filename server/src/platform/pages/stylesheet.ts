/** The style sheets in server/styles. Pages carry theirs inline, so that they need nothing else from the network. */
import { readFileSync } from 'node:fs'

const FOLDER = new URL('../../../styles/', import.meta.url)
const TOKENS = new URL(import.meta.resolve('@carillon/inbox/tokens.css'))

/** The tokens and what all pages have in common, then the page's own sheet. */
export function loadStyle(...names: string[]): string {
  return [TOKENS, ...['pages', ...names].map(name => new URL(`${name}.css`, FOLDER))]
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
}
