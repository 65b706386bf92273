import { json, type Service } from './service.ts'

const common: Pick<Service, 'protocol' | 'message'> = {
  protocol: 'http',
  message: () => ({ channel: 'sms', address: '+41790000000', html: null }),
}

export const smsServices: Record<string, Service> = {
  bird: {
    ...common,
    config: base_url => ({ from: 'Acme', base_url }),
    secrets: () => ({ api_key: 'bk_eu1_0123456789abcdef' }),
    accepts: json(202, { id: 'sms_01ky7qmwgp', status: 'accepted' }),
  },
  twilio: {
    ...common,
    config: base_url => ({
      account_sid: 'AC0123456789abcdef0123456789abcdef',
      from: '+15557122661',
      base_url,
    }),
    secrets: () => ({ auth_token: 'f00dfacef00dfacef00dfacef00dface' }),
    accepts: json(201, { sid: 'SM0123', status: 'queued', error_code: null }),
  },
  vonage: {
    ...common,
    config: base_url => ({ api_key: 'abcd1234', from: '+447700900001', base_url }),
    secrets: () => ({ api_secret: 'sEcReT-0123' }),
    accepts: json(202, { message_uuid: 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab' }),
  },
}
