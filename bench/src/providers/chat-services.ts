import { json, type Service } from './service.ts'

const common: Pick<Service, 'protocol' | 'message'> = {
  protocol: 'http',
  message: () => ({ channel: 'chat', address: 'ops', html: null }),
}

export const chatServices: Record<string, Service> = {
  discord: {
    ...common,
    config: () => ({}),
    secrets: origin => ({
      webhooks: { ops: `${origin}/api/webhooks/223704706495545344/3d89bb7572e0fb30d8128367b3b1b44f` },
    }),
    accepts: json(200, { id: '334385199974967042', content: 'Your order is on its way' }),
  },
  slack: {
    ...common,
    config: origin => ({ base_url: `${origin}/api` }),
    secrets: () => ({ bot_token: 'xoxb-0123456789-secret' }),
    accepts: json(200, {
      ok: true,
      channel: 'ops',
      ts: '1503435956.000247',
      message: { text: 'On its way' },
    }),
  },
  teams: {
    ...common,
    config: () => ({}),
    secrets: origin => ({
      webhooks: {
        ops: `${origin}/workflows/86ffea6392fe4f3f9555f5e8f9b1f06e/paths/invoke?sig=n0t4r34l0123456789`,
      },
    }),
    accepts: { status: 202 },
  },
  telegram: {
    ...common,
    config: base_url => ({ base_url }),
    secrets: () => ({ bot_token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11' }),
    accepts: json(200, { ok: true, result: { message_id: 4711, date: 1, chat: { id: 987654321 } } }),
  },
}
