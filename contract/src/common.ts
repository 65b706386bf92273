/** What all schemas share: channels, times, names, waits between attempts, and pages. */
import { z } from 'zod'

export const CHANNELS = ['in_app', 'email', 'sms', 'push', 'chat', 'webhook'] as const
export const Channel = z.enum(CHANNELS)
export type Channel = z.infer<typeof Channel>

const expectedTime = 'Expected an ISO 8601 time with a zone, for example 2026-01-31T09:30:00Z.'
// Each check ends the others: the same sentence two or three times helps nobody.
export const Timestamp = z.iso
  .datetime({ offset: true, error: expectedTime, abort: true })
  .max(40, { error: expectedTime, abort: true })
  // PostgreSQL has no year 0 and no offsets beyond 15:59.
  .regex(/^[1-9](?!.*[+-](?:1[6-9]|2[0-9]):)/, expectedTime)
  .describe('ISO 8601 time with zone')

const expectedWallTime = 'Expected a time without a zone, for example 2026-12-24T09:00.'
/** A local time; the field says in whose time zone. */
export const WallTime = z
  .string()
  .refine(
    text =>
      /^[1-9][^Z]{15,18}$/.test(text) &&
      z.iso.datetime({ local: true, precision: null }).safeParse(text).success,
    expectedWallTime,
  )

/** Names given by people: no control characters, so they are safe in headers and logs. */
export const Name = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'Control characters are not allowed.')

const expectedPage = 'Expected an address such as https://example.com/page, or a path such as /page.'
/** Pages only: other addresses could run something where they are shown. */
export const PageAddress = z
  .string()
  .max(2000)
  .regex(/^(?:https?:\/\/[^\s/]|\/(?![/\\]))\S*$|^\/$/i, expectedPage)

/** Any JSON, null too, but not nothing. */
export const JsonValue = z.unknown().refine(value => value !== undefined, 'Required.')

/** Names that stand in addresses. `.` and `..` cannot: readers take them for folders, even if they are encoded. */
export const AddressName = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,100}$/, 'Expected 1 to 100 letters, digits and . _ : -')

/** What an HTTP header can carry to every receiver; one without a value says nothing. */
export const HeaderValue = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\t\x20-\x7e]*$/, 'Expected printable ASCII.')
    .regex(/\S/, 'Expected a value.')

/** Whether it is one is decided where it is stored, by the rule that callers over SQL get too. */
export const EmailAddress = Name(255).describe('An email address such as ada@example.com')

/** How the waits between attempts grow. */
export const Backoff = z.enum(['exponential', 'linear', 'constant'])

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Rows per page'),
  cursor: z.string().max(1000).optional().describe('next_cursor of the previous page'),
})

/** A page of a list; next_cursor is null on the last one. */
export const PageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable() })

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

/** Of UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length
