/** Templates: what a notification says on a channel in a language. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { Channel, Name, PageQuery, Timestamp } from './common.ts'
import { LiquidText } from './liquid-text.ts'
import { TimeZone } from './time-zone.ts'

export const Locale = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'Expected a locale such as en or pt-BR.')

/** Variables that a template can use without declaring them. */
export const BUILT_IN_VARIABLES = ['branding', 'recipient', 'notification', 'links', 'subject'] as const

export const TemplateVariable = z.strictObject({
  name: z
    .string()
    .max(50)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Expected letters, digits and _, not beginning with a digit.')
    .describe('A field of the payload'),
  required: z.boolean().default(true).describe('A message whose payload lacks it becomes a dead letter'),
  description: z.string().max(500).default(''),
  sample: z.unknown().optional().describe('What a preview shows'),
})
export type TemplateVariable = z.infer<typeof TemplateVariable>

const content = {
  subject: LiquidText(255).optional().describe('Email only'),
  title: LiquidText(255).optional().describe('Push and in_app only'),
  body: LiquidText(100_000).describe('Liquid; HTML for email, text for the others'),
  text: LiquidText(100_000).optional().describe('Email only; derived from the body unless given'),
  layout: Name(50).nullable().optional().describe('Email only; "default" unless given, null for none'),
  variables: z.array(TemplateVariable).max(100).default([]),
}

/** The draft of a template. */
export const TemplateInput = z.strictObject(content)
export type TemplateInput = z.input<typeof TemplateInput>

export const TemplateSummary = z.object({
  name: z.string(),
  channel: Channel,
  locale: z.string(),
  is_active: z.boolean(),
  published_version: z
    .number()
    .int()
    .nullable()
    .describe('null if only a draft exists, which nothing uses yet'),
  created_by: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type TemplateSummary = z.infer<typeof TemplateSummary>

const storedContent = {
  subject: z.string().nullable(),
  title: z.string().nullable(),
  body: z.string(),
  text: z.string().nullable(),
  layout: z.string().nullable(),
  variables: z.array(TemplateVariable),
}

export const Template = TemplateSummary.extend(storedContent)
export type Template = z.infer<typeof Template>

export const TemplateChanges = ChangesOf(TemplateInput).extend({
  text: content.text.unwrap().nullable().optional().describe('Email only; null derives it from the body'),
  is_active: z.boolean().optional().describe('false: messages that would use it become dead letters'),
})
export type TemplateChanges = z.infer<typeof TemplateChanges>

export const TemplateQuery = PageQuery.extend({
  name: z.string().max(100).optional(),
  channel: Channel.optional(),
})
export type TemplateQuery = z.infer<typeof TemplateQuery>

const replaceWaiting = z
  .boolean()
  .default(false)
  .describe('Also use it for messages that were accepted with an earlier version and are still waiting')

export const PublishTemplate = z.strictObject({
  replace_waiting: replaceWaiting,
  only_if_changed: z
    .boolean()
    .default(false)
    .describe('Return the current version if a new one would be the same'),
})
export type PublishTemplate = z.input<typeof PublishTemplate>

export const RollBackTemplate = z.strictObject({
  version: z.number().int().min(1).describe('The version to publish again'),
  replace_waiting: replaceWaiting,
})
export type RollBackTemplate = z.input<typeof RollBackTemplate>

export const TemplateVersion = z.object({
  id: z.uuid(),
  name: z.string(),
  channel: Channel,
  locale: z.string(),
  version: z.number().int(),
  is_current: z.boolean(),
  restored_from: z.number().int().nullable().describe('The version that was published again by a rollback'),
  replaced_by: z.number().int().nullable().describe('The version that waiting messages use instead'),
  parts: z.array(z.string()).describe('The layout and partials it was published with'),
  published_by: z.string().nullable(),
  published_at: Timestamp,
})
export type TemplateVersion = z.infer<typeof TemplateVersion>

export const TemplateVersionDetail = TemplateVersion.extend(storedContent)
export type TemplateVersionDetail = z.infer<typeof TemplateVersionDetail>

const sampleData = z
  .record(z.string(), z.unknown())
  .default({})
  .describe('The payload; missing variables get their samples')

const readerZone = TimeZone.default('UTC').describe('The recipient’s time zone, for dates')

/** A preview of a template that is not saved. */
export const PreviewTemplate = z.strictObject({
  channel: Channel,
  locale: Locale.default('en'),
  timezone: readerZone,
  template: TemplateInput,
  data: sampleData,
})
export type PreviewTemplate = z.input<typeof PreviewTemplate>

/** A preview of a saved template. */
export const PreviewSavedTemplate = z.strictObject({
  version: z.number().int().min(1).optional().describe('Defaults to the draft'),
  locale: Locale.optional().describe(
    'The recipient’s locale, for translations; defaults to that of the template',
  ),
  timezone: readerZone,
  data: sampleData,
})
export type PreviewSavedTemplate = z.input<typeof PreviewSavedTemplate>

export const Preview = z.object({
  subject: z.string().describe('Email: the subject; push and in_app: the title'),
  text: z.string(),
  html: z.string().nullable(),
})
export type Preview = z.infer<typeof Preview>
