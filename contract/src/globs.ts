/** Patterns for names, as triggers and webhooks have them. */
import { Name } from './common.ts'

export const GLOBS = 'a name, a beginning followed by *, or * alone'

/** `max` is the longest name that it can match. */
export const Glob = (max: number, names = /^[^*]*\*?$/) =>
  Name(max + 1)
    .regex(names, `Expected ${GLOBS}.`)
    .refine(glob => glob.replace('*', '').length <= max, `At most ${max} characters.`)
