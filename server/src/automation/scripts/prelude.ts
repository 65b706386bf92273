/** The JavaScript that defines what scripts can use; it is in a file of its own, as it runs in the sandbox only. */
import { readFileSync } from 'node:fs'

export const PRELUDE = readFileSync(new URL('../../../sandboxed/prelude.js', import.meta.url), 'utf8')
