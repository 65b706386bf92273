/** A tenant's name, colours and footer. */
import { z } from 'zod'
import { Name, Timestamp } from './common.ts'

const color = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'Expected a colour such as #1a73e8.')
const webUrl = z
  .string()
  .max(500)
  .regex(/^https?:\/\/[^\s"'<>]+$/, 'Expected a URL that begins with https://.')

export const Branding = z.object({
  name: z.string().describe('The sender’s name; the tenant’s name unless set'),
  logo_url: z.string().nullable(),
  website_url: z.string().nullable(),
  primary_color: z.string(),
  footer: z.string().describe('Text below every email: postal address, why it was sent, how to unsubscribe'),
  updated_at: Timestamp.nullable(),
})
export type Branding = z.infer<typeof Branding>

export const BrandingChanges = z.strictObject({
  name: Name(100).nullable().optional(),
  logo_url: webUrl.nullable().optional(),
  website_url: webUrl.nullable().optional(),
  primary_color: color.optional(),
  footer: z.string().max(2000).optional(),
})
export type BrandingChanges = z.infer<typeof BrandingChanges>
