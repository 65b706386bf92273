/** Push services, with keys created for the run: signing and encrypting are part of what a message costs. */
import { createECDH, type ECDH, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { DeviceKind, Message } from '../../../server/dist/content/messages/message.js'
import { json, type Service } from './service.ts'

const pem = {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
} as const
const vapid = newCurve()

export const pushServices: Record<string, Service> = {
  apns: {
    protocol: 'https',
    config: api_url => ({ team_id: 'DEF123GHIJ', key_id: 'ABC123DEFG', topic: 'org.example.app', api_url }),
    secrets: () => ({
      private_key: generateKeyPairSync('ec', { namedCurve: 'P-256', ...pem }).privateKey,
    }),
    message: () => toDevice('apns', '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0'),
    accepts: { status: 200, headers: { 'apns-id': 'EC1BF194-B3B2-424A-89A9-5A918A6E6B5D' } },
  },
  expo: {
    protocol: 'http',
    config: api_url => ({ api_url }),
    secrets: () => ({ access_token: 'expo-access-token' }),
    message: () => toDevice('expo', 'ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]'),
    accepts: json(200, { data: [{ status: 'ok', id: 'XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX' }] }),
  },
  fcm: {
    protocol: 'http',
    config: api_url => ({ api_url }),
    secrets: origin => ({ service_account: serviceAccount(origin) }),
    message: () => toDevice('fcm', 'bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1'),
    accepts: json(200, { name: 'projects/demo/messages/0:1500415314455276%31bd1c9631bd1c96' }),
    otherPaths: {
      '/token': json(200, { access_token: 'ya29.token-1', expires_in: 3599, token_type: 'Bearer' }),
    },
  },
  web_push: {
    protocol: 'https',
    config: () => ({ public_key: vapid.getPublicKey('base64url'), subject: 'mailto:ops@example.org' }),
    secrets: () => ({ private_key: padKey(vapid.getPrivateKey('hex')) }),
    message: origin => toDevice('web_push', subscription(`${origin}/push/abc`)),
    accepts: { status: 201, headers: { location: 'https://push.example/message/7' } },
  },
}

function toDevice(kind: DeviceKind, token: string): Partial<Message> {
  return { channel: 'push', address: '', html: null, devices: [{ id: 'device-1', kind, token }] }
}

function serviceAccount(origin: string): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'demo',
    private_key_id: 'key-1',
    private_key: generateKeyPairSync('rsa', { modulusLength: 2048, ...pem }).privateKey,
    client_email: 'sender@demo.iam.gserviceaccount.com',
    token_uri: `${origin}/token`,
  })
}

function subscription(endpoint: string): string {
  const keys = { p256dh: newCurve().getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') }
  return JSON.stringify({ endpoint, expirationTime: null, keys })
}

function newCurve(): ECDH {
  const curve = createECDH('prime256v1')
  curve.generateKeys()
  return curve
}

/** A key may begin with zeros, which the curve omits. */
function padKey(hex: string): string {
  return Buffer.from(hex.padStart(64, '0'), 'hex').toString('base64url')
}
