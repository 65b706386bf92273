/** Layouts and partials that templates use. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { Timestamp } from './common.ts'
import { LiquidText } from './liquid-text.ts'
import { TemplateVersion } from './templates.ts'

export const TEMPLATE_PART_KINDS = ['layout', 'partial'] as const
export const TemplatePartKind = z.enum(TEMPLATE_PART_KINDS)
export type TemplatePartKind = z.infer<typeof TemplatePartKind>

export const TemplatePartName = z
  .string()
  .min(1)
  .max(50)
  .regex(/^[a-z0-9_-]+$/, 'Expected lower-case letters, digits, - and _.')

export const TemplatePartInput = z.strictObject({
  source: LiquidText(100_000).describe('Liquid and HTML; a layout inserts the body with {{ content }}'),
})
export type TemplatePartInput = z.input<typeof TemplatePartInput>

export const TemplatePartChanges = ChangesOf(TemplatePartInput)
export type TemplatePartChanges = z.infer<typeof TemplatePartChanges>

export const TemplatePart = z.object({
  kind: TemplatePartKind,
  name: z.string(),
  source: z.string(),
  is_built_in: z
    .boolean()
    .describe('Whether it is Carillon’s own layout; PUT replaces it, DELETE brings it back'),
  updated_at: Timestamp.nullable(),
})
export type TemplatePart = z.infer<typeof TemplatePart>

export const PublishedPart = z.object({
  published: z.array(TemplateVersion).describe('A new version of every published template that uses it'),
})
export type PublishedPart = z.infer<typeof PublishedPart>
