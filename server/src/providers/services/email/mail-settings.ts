/** Settings that all mail services have, and the addresses in them. */
import addressparser from 'nodemailer/lib/addressparser'
import { z } from 'zod'

export interface Mailbox {
  /** '' when there is none. */
  name: string
  address: string
}

/** An address, or a name with an address: `Acme <no-reply@acme.example>`. */
export const mailbox = z
  .string()
  .max(320)
  .refine(text => findMailbox(text) !== undefined, {
    error: 'expected one address such as bells@acme.example or Acme <bells@acme.example>',
  })

export const mailConfig = z.strictObject({
  from: mailbox.describe('The sender, as the service knows it: an address, or Name <address>.'),
  reply_to: mailbox.optional().describe('Where replies go; to the sender unless set.'),
  base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Only for the service's regional endpoints and for tests."),
})

/** Reads an address that the settings have already accepted. */
export function parseMailbox(text: string): Mailbox {
  const found = findMailbox(text)
  if (found === undefined) throw new Error('expected one mail address')
  return found
}

/** One bare address: services also accept lists of addresses, and a list would reach other people. */
export function isPlainAddress(text: string): boolean {
  return /^[^\s\p{Cc},;:<>()"@]+@[^\s\p{Cc},;:<>()"@]+$/u.test(text)
}

/** The URL to send to; at `standard` unless the settings name another base. */
export function endpoint(base: string | undefined, standard: string, path: string): string {
  return `${(base ?? standard).replace(/\/+$/, '')}${path}`
}

function findMailbox(text: string): Mailbox | undefined {
  const [first, ...others] = addressparser(text)
  if (first?.address === undefined || others.length > 0) return undefined
  // A line break in a name would start a second header.
  return isPlainAddress(first.address) && !/\p{Cc}/u.test(text) ? first : undefined
}
