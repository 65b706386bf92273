import { describeHttpKind } from '../http-kind.suite.ts'
import { resend } from './resend.ts'

const failure = (statusCode: number, name: string, message: string, headers = {}) => ({
  status: statusCode,
  headers,
  body: JSON.stringify({ statusCode, name, message }),
})

describeHttpKind({
  kind: resend,
  config: base_url => ({ from: 'Acme <bells@acme.example>', reply_to: 'help@acme.example', base_url }),
  secrets: () => ({ api_key: 're_key1234' }),
  message: {},
  request: {
    method: 'POST',
    path: '/emails',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: 'Bearer re_key1234',
      'idempotency-key': 'rec-2.route-3',
    },
    body: {
      from: 'Acme <bells@acme.example>',
      to: ['ada@example.org'],
      reply_to: 'help@acme.example',
      subject: 'Rechnung bezahlt – danke',
      text: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      html: '<p>Grüezi Ada, Rechnung 7 ist bezahlt.</p>',
      headers: {
        'X-Carillon-Type': 'invoice.paid',
        'X-Carillon-Notification': '0197f2a0-0000-7000-8000-000000000002',
        'Auto-Submitted': 'auto-generated',
        'X-Request-Id': 'req-1',
      },
      tags: [
        { name: 'message_id', value: 'rec-2_route-3' },
        { name: 'notification_id', value: '0197f2a0-0000-7000-8000-000000000002' },
      ],
    },
  },
  messageIdIn: ({ headers }) => String(headers['idempotency-key']),
  answers: {
    accepts: { status: 200, body: '{"id":"49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"}' },
    fails_for_now: failure(500, 'internal_server_error', 'An unexpected error occurred.'),
    throttles: failure(429, 'rate_limit_exceeded', 'Too many requests.', { 'retry-after': '1' }),
    refuses: failure(422, 'missing_required_field', 'Missing `subject` field.'),
    rejects_credentials: failure(403, 'invalid_api_key', 'API key is invalid.'),
  },
  throttle_ms: 1000,
  sent: { provider_message_id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' },
  rules: [
    ['throttling', failure(429, 'rate_limit_exceeded', 'Too many requests.'), { kind: 'rate_limited' }],
    [
      'a used-up daily quota',
      failure(429, 'daily_quota_exceeded', 'You have reached your daily email quota.'),
      { kind: 'rate_limited' },
    ],
    [
      'a used-up monthly quota',
      failure(429, 'monthly_quota_exceeded', 'You have reached your monthly email quota.'),
      { kind: 'config' },
    ],
    [
      'a missing key',
      failure(401, 'missing_api_key', 'Missing API key in the authorization header.'),
      { kind: 'config' },
    ],
    [
      'a domain that is not verified',
      failure(
        403,
        'validation_error',
        'The acme.example domain is not verified. Please, add and verify your domain.',
      ),
      { kind: 'config' },
    ],
    ['an invalid sender', failure(422, 'invalid_from_address', 'Invalid `from` field.'), { kind: 'config' }],
    [
      'an invalid address',
      failure(
        422,
        'validation_error',
        'Invalid `to` field. The email address needs to follow the `email@example.com` format.',
      ),
      { kind: 'permanent', suppress: 'invalid' },
    ],
    [
      'the same key, still in progress',
      failure(
        409,
        'concurrent_idempotent_requests',
        'Same idempotency key used while original request is still in progress.',
      ),
      { kind: 'retry', fault: 'message' },
    ],
    [
      'the same key with different content',
      failure(
        409,
        'invalid_idempotent_request',
        'Same idempotency key used with a different request payload.',
      ),
      { kind: 'permanent' },
    ],
    [
      'a path that does not exist',
      failure(404, 'not_found', 'The requested endpoint does not exist.'),
      { kind: 'config' },
    ],
  ],
})
