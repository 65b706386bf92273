import { describeHttpKind } from '../http-kind.suite.ts'
import { postmark } from './postmark.ts'

const failure = (ErrorCode: number, Message: string) => ({
  status: 422,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ErrorCode, Message }),
})

describeHttpKind({
  kind: postmark,
  config: base_url => ({ from: 'Acme <bells@acme.example>', reply_to: 'help@acme.example', base_url }),
  secrets: () => ({ server_token: 'server-token-1' }),
  message: {},
  request: {
    method: 'POST',
    path: '/email',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-postmark-server-token': 'server-token-1',
    },
    body: {
      From: 'Acme <bells@acme.example>',
      To: 'ada@example.org',
      ReplyTo: 'help@acme.example',
      Subject: 'Rechnung bezahlt – danke',
      TextBody: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      HtmlBody: '<p>Grüezi Ada, Rechnung 7 ist bezahlt.</p>',
      MessageStream: 'outbound',
      Metadata: { message_id: 'rec-2.route-3', notification_id: '0197f2a0-0000-7000-8000-000000000002' },
      Headers: [
        { Name: 'X-Carillon-Type', Value: 'invoice.paid' },
        { Name: 'X-Carillon-Notification', Value: '0197f2a0-0000-7000-8000-000000000002' },
        { Name: 'Auto-Submitted', Value: 'auto-generated' },
        { Name: 'X-Request-Id', Value: 'req-1' },
        { Name: 'Message-ID', Value: '<rec-2.route-3@acme.example>' },
        { Name: 'X-PM-KeepID', Value: 'true' },
      ],
    },
  },
  messageIdIn: ({ body }) => JSON.parse(String(body)).Metadata.message_id,
  answers: {
    accepts: {
      status: 200,
      body: JSON.stringify({
        To: 'ada@example.org',
        SubmittedAt: '2026-03-01T07:25:01.4178645-05:00',
        MessageID: '0a129aee-e1cd-480d-b08d-4f48548ff48d',
        ErrorCode: 0,
        Message: 'OK',
      }),
    },
    fails_for_now: { status: 500, body: JSON.stringify({ ErrorCode: 0, Message: 'Internal Server Error' }) },
    throttles: { ...failure(429, 'Rate limit exceeded'), status: 429 },
    refuses: failure(402, 'Invalid JSON'),
    rejects_credentials: { ...failure(10, 'Bad or missing API token.'), status: 401 },
  },
  sent: { provider_message_id: '0a129aee-e1cd-480d-b08d-4f48548ff48d' },
  rules: [
    ['throttling', { ...failure(429, 'Rate limit exceeded'), status: 429 }, { kind: 'rate_limited' }],
    [
      'an inactive recipient',
      failure(406, 'You tried to send to a recipient that has been marked as inactive.'),
      { kind: 'permanent', suppress: 'hard_bounce' },
    ],
    [
      'an invalid address',
      failure(300, "Invalid 'To' address: 'ada@example'."),
      { kind: 'permanent', suppress: 'invalid' },
    ],
    ['an invalid sender', failure(300, "Invalid 'From' address: 'bells'."), { kind: 'config' }],
    [
      'another invalid request',
      failure(300, 'Provide either email TextBody or HtmlBody or both.'),
      { kind: 'permanent' },
    ],
    ['an unknown sender', failure(400, "The 'From' address is not a Sender Signature."), { kind: 'config' }],
    ['an unconfirmed sender', failure(401, 'Sender signature not confirmed.'), { kind: 'config' }],
    ['an account without credits', failure(405, 'Not allowed to send.'), { kind: 'config' }],
    ['an account under review', failure(412, 'Your account is pending approval.'), { kind: 'config' }],
    ['an account that is closed', failure(413, 'Your account may not send.'), { kind: 'config' }],
    [
      'a stream that cannot send',
      failure(1235, "Sending is not supported on the supplied 'MessageStream'."),
      { kind: 'config' },
    ],
    ['maintenance', { ...failure(100, 'Maintenance'), status: 503 }, { kind: 'retry' }],
  ],
})
