import { json, type Service } from './service.ts'

const FROM = 'Acme <bells@acme.example>'
const common: Pick<Service, 'protocol' | 'message'> = { protocol: 'http', message: () => ({}) }

export const mailServices: Record<string, Service> = {
  mailgun: {
    ...common,
    config: base_url => ({ from: FROM, domain: 'acme.example', base_url }),
    secrets: () => ({ api_key: 'key-1234' }),
    accepts: json(200, { id: '<rec-2.route-3@acme.example>', message: 'Queued. Thank you.' }),
  },
  postmark: {
    ...common,
    config: base_url => ({ from: FROM, base_url }),
    secrets: () => ({ server_token: 'server-token-1' }),
    accepts: json(200, {
      To: 'ada@example.org',
      SubmittedAt: '2026-03-01T07:25:01.4178645-05:00',
      MessageID: '0a129aee-e1cd-480d-b08d-4f48548ff48d',
      ErrorCode: 0,
      Message: 'OK',
    }),
  },
  resend: {
    ...common,
    config: base_url => ({ from: FROM, base_url }),
    secrets: () => ({ api_key: 're_1234' }),
    accepts: json(200, { id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' }),
  },
  sendgrid: {
    ...common,
    config: base_url => ({ from: FROM, base_url }),
    secrets: () => ({ api_key: 'SG.key-1234' }),
    accepts: { status: 202, headers: { 'x-message-id': '14c5d75ce93.dfd.64b469' } },
  },
  ses: {
    ...common,
    config: base_url => ({ from: FROM, region: 'eu-central-1', base_url }),
    secrets: () => ({
      access_key_id: 'AKIDEXAMPLE',
      secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
    }),
    accepts: json(200, { MessageId: '010701a2b3c4d5e6-11111111-2222-3333-4444-555555555555-000000' }),
  },
}
