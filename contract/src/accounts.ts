/** Accounts: the people who operate Carillon, and what they change about their own. */
import { z } from 'zod'
import { Name } from './common.ts'

/** One spelling per address, so that nobody has two accounts by writing it differently. */
export const AccountEmail = z
  .string()
  .max(255)
  .transform(text => text.trim().toLowerCase())
  .pipe(z.email('Expected an email address such as ada@example.com.'))
  .describe('An email address; upper and lower case are the same')

/** Not compared with rules about digits and signs: length is what makes a password hard to guess. */
export const NewPassword = z.string().min(12).max(256)

export const Account = z.object({
  id: z.uuid(),
  email: z.string().describe('Empty until the first owner has given one'),
  name: z.string(),
})
export type Account = z.infer<typeof Account>

export const AccountChanges = z.strictObject({
  name: Name(100).optional(),
  email: AccountEmail.optional(),
  password: NewPassword.optional(),
  current_password: z
    .string()
    .max(256)
    .optional()
    .describe('Needed to change the email or the password, unless the session says needs_password'),
})
export type AccountChanges = z.input<typeof AccountChanges>
