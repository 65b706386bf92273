/** The version of this Carillon, as its package says. */
import { readFileSync } from 'node:fs'

export function ownVersion(): string {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version
}
