/** Secrets as text, checked when they are entered: a wrongly pasted one is noticed then and not with the first message. */
import { z } from 'zod'

/** Keys and tokens of services: they become part of a header, and none has spaces. */
export const token = z.string().regex(/^[\x21-\x7e]+$/, 'Expected printable ASCII characters without spaces.')

/** Passwords and keys that people choose, which never become part of a header as they are. */
export const password = z
  .string()
  .regex(/^\P{Cc}*$/u, 'Control characters are not allowed.')
  .regex(/\S/, 'Expected more than spaces.')
