/** Every error code of the API. Codes are stable: clients may branch on them. */
import { z } from 'zod'

export const ERRORS = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_utf8: { status: 400, title: 'The body is not valid UTF-8' },
  unstorable_text: { status: 400, title: 'The text contains a character that cannot be stored' },
  invalid_request: { status: 400, title: 'The request does not have the expected shape' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this list' },
  missing_field: { status: 400, title: 'A required field is missing' },
  invalid_timestamp: { status: 400, title: 'A time cannot be used' },
  invalid_payload: { status: 400, title: 'The payload does not fit the notification type' },
  invalid_recipients: { status: 400, title: 'The recipients cannot be used' },
  invalid_audience: { status: 400, title: 'The audience or the channels do not fit the notification type' },
  invalid_producer: { status: 400, title: 'The producer may not send this notification type' },
  unsupported_type: { status: 400, title: 'The notification type is unknown' },
  recipient_not_found: { status: 400, title: 'A recipient does not exist' },
  invalid_template: { status: 400, title: 'The template cannot be used' },
  too_many_items: { status: 400, title: 'The batch has too many items' },
  unauthenticated: { status: 401, title: 'A valid API key is required' },
  forbidden: { status: 403, title: 'The API key does not have the required scope' },
  csrf: { status: 403, title: 'The request does not come from the dashboard' },
  no_membership: { status: 403, title: 'The account belongs to no tenant' },
  tenant_suspended: { status: 403, title: 'The tenant is suspended' },
  quota_exceeded: { status: 403, title: 'The tenant’s quota is used up' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  idempotency_conflict: { status: 409, title: 'The idempotency key was used for different content' },
  already_exists: { status: 409, title: 'The value is already taken' },
  already_answered: { status: 409, title: 'The notification was answered otherwise' },
  already_resolved: { status: 409, title: 'The dead letter is already resolved' },
  nothing_to_cancel: { status: 409, title: 'Nothing of this notification is left to cancel' },
  read_only: { status: 409, title: 'It cannot be changed through the API' },
  category_required: { status: 409, title: 'The category cannot be switched off' },
  not_active: { status: 409, title: 'It is switched off or does not work' },
  last_owner: { status: 409, title: 'It is the last owner, or the last key that can manage keys' },
  address_suppressed: { status: 409, title: 'The address gets nothing more' },
  still_retrying: { status: 409, title: 'It is still being retried' },
  in_use: { status: 409, title: 'Something else still needs it' },
  version_conflict: { status: 412, title: 'The entry does not have the expected version' },
  payload_too_large: { status: 413, title: 'The payload or body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type must be application/json' },
  no_address: { status: 422, title: 'It is not sent to an address' },
  render_failed: { status: 422, title: 'The template cannot be rendered with this data' },
  script_failed: { status: 422, title: 'The script failed' },
  rate_limited: { status: 429, title: 'The caller has reached its limit' },
  provider_rate_limited: { status: 429, title: 'The rate limit of the provider is used up' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  script_crashed: { status: 502, title: 'The run of the script was lost' },
  unavailable: { status: 503, title: 'Carillon cannot answer right now' },
  script_busy: { status: 503, title: 'There is no free place to run the script' },
  script_timeout: { status: 504, title: 'The script took too long' },
  script_limit: { status: 507, title: 'The script used more than it may' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof ERRORS
export const ERROR_CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]

/** A field that is wrong, and what is expected instead. */
export const FieldError = z.object({
  field: z.string(),
  message: z.string(),
  line: z.number().int().optional().describe('In templates and scripts: the line within the field, from 1'),
  column: z.number().int().optional(),
})
export type FieldError = z.infer<typeof FieldError>

/** RFC 9457 problem details: the body of every answer that is not a success. */
export const Problem = z.object({
  type: z.string().describe('urn:carillon:problem: followed by the code'),
  code: z.enum(ERROR_CODES),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  errors: z.array(FieldError).optional(),
  request_id: z.string().optional(),
})
export type Problem = z.infer<typeof Problem>
