/** Invitations: a link with which somebody becomes a member of a tenant. */
import { z } from 'zod'
import { AccountEmail, NewPassword } from './accounts.ts'
import { KeyRole } from './api-keys.ts'
import { Name, Timestamp } from './common.ts'

export const NewInvitation = z.strictObject({
  email: AccountEmail,
  role: KeyRole,
  expires_in_hours: z
    .number()
    .int()
    .min(1)
    .max(24 * 30)
    .default(24 * 7),
})
export type NewInvitation = z.input<typeof NewInvitation>

export const Invitation = z.object({
  id: z.uuid(),
  email: z.string(),
  role: KeyRole,
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type Invitation = z.infer<typeof Invitation>

export const Invitations = z.object({ data: z.array(Invitation) })

export const CreatedInvitation = Invitation.extend({
  url: z.string().describe('Shown only now; whoever has it can accept'),
})
export type CreatedInvitation = z.infer<typeof CreatedInvitation>

const Token = z.string().min(1).max(200)

export const InvitationToken = z.strictObject({ token: Token })
export type InvitationToken = z.infer<typeof InvitationToken>

/** What the page shows to whoever has the link. */
export const ReadInvitation = z.object({
  email: z.string(),
  role: KeyRole,
  tenant: z.object({ id: z.uuid(), name: z.string() }),
  has_account: z.boolean().describe('Then the password of that account is asked for, or its session'),
})
export type ReadInvitation = z.infer<typeof ReadInvitation>

export const InvitationAcceptance = z.strictObject({
  token: Token,
  name: Name(100).optional().describe('Of a new account'),
  password: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('For a new account: at least 12 characters; for one that exists: its own'),
})
export type InvitationAcceptance = z.infer<typeof InvitationAcceptance>

/** The rule for the password of a new account, which the acceptance of an old one must not break. */
export const NewAccountPassword = z.object({ password: NewPassword })
