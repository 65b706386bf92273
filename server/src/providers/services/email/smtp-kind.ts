/** The provider kind for mail servers; it sends through the SMTP provider. */
import { z } from 'zod'
import type { ProviderKind } from '../kind.ts'
import { isPrivateKey } from '../private-key.ts'
import { password } from '../secret-text.ts'
import { createSmtpProvider } from '../smtp.ts'
import { mailbox } from './mail-settings.ts'

const config = z.strictObject({
  // A name or an IPv4 address and nothing else, as it becomes part of a URL whose query could switch off checks.
  host: z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, { error: 'expected a host name' }),
  port: z.int().min(1).max(65_535).default(587),
  tls: z
    .enum(['required', 'implicit', 'offered'])
    .default('required')
    .describe(
      'required: STARTTLS, or nothing is sent; implicit: TLS from the first byte, usually on port 465; offered: STARTTLS if the server offers it, for relays on the same machine.',
    ),
  from: mailbox.describe('The sender: an address, or Name <address>.'),
  message_id_domain: z
    .hostname()
    .optional()
    .describe("The right side of Message-ID; the sender's domain unless set."),
  dkim_domain: z.hostname().optional().describe('Signs mail with DKIM; also needs the selector and the key.'),
  dkim_selector: z.string().min(1).optional(),
  pool_size: z.int().min(1).max(50).default(5).describe('The maximum number of connections.'),
})

const secrets = z.strictObject({
  user: password.optional(),
  password: password.optional(),
  dkim_private_key: z
    .string()
    .refine(pem => isPrivateKey(pem, 'rsa'), 'expected an RSA private key in PEM form')
    .optional()
    .describe('RSA, as PEM.'),
})

type Config = z.infer<typeof config>
type Secrets = z.infer<typeof secrets>

/**
 * Mail servers are often on private networks, and the address guard covers only HTTP. Somebody who could enter any host
 * and port here could scan the network behind Carillon by the errors that come back, so this kind is for operators
 * alone.
 */
export const smtpKind: ProviderKind<Config, Secrets> = {
  name: 'smtp',
  title: 'SMTP server',
  channels: ['email'],
  operatorOnly: true,
  config,
  secrets,
  create({ name, config, secrets, timeoutMs }) {
    const provider = createSmtpProvider({
      url: toUrl(config, secrets),
      from: config.from,
      ...(config.message_id_domain && { message_id_domain: config.message_id_domain }),
      ...(config.dkim_domain && { dkim: dkimOf(config.dkim_domain, config, secrets) }),
      timeout_ms: timeoutMs,
      pool_size: config.pool_size,
    })
    return { ...provider, name }
  },
}

function toUrl({ host, port, tls }: Config, { user, password }: Secrets): string {
  const login = [user, password].map(part => encodeURIComponent(part ?? '')).join(':')
  const scheme = tls === 'implicit' ? 'smtps' : 'smtp'
  const query = tls === 'required' ? '?requireTLS=true' : ''
  return `${scheme}://${login === ':' ? '' : `${login}@`}${host}:${port}${query}`
}

function dkimOf(domain: string, { dkim_selector }: Config, { dkim_private_key }: Secrets) {
  if (!dkim_selector || !dkim_private_key)
    throw new Error('expected a DKIM selector and key in addition to the domain')
  return { domain, selector: dkim_selector, private_key: dkim_private_key }
}
