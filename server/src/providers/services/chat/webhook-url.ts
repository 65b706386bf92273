/**
 * Webhooks of chat services. Anybody who knows the URL can post, so it is always a secret. A recipient's address is the
 * URL itself or, better, the name of one that is stored among the secrets.
 */
import { z } from 'zod'
import type { Message } from '../../../content/messages/message.ts'

type Webhooks = Record<string, string>

export const webhooks = z
  .record(z.string().min(1).max(100), z.url({ protocol: /^https?$/ }))
  .default({})
  .describe('Webhook URLs by names of your choice; a name can then be used as an address')

/** The webhook that the address is or names, if any. */
export function webhookOf(message: Message, known: Webhooks): URL | undefined {
  const found = Object.hasOwn(known, message.address) ? known[message.address] : message.address
  return /^https?:\/\//i.test(found ?? '') && URL.canParse(found!) ? new URL(found!) : undefined
}

/** For services that have only webhooks; throws when the address is not one. */
export function requireWebhook(message: Message, known: Webhooks): URL {
  const url = webhookOf(message, known)
  if (url === undefined) throw new Error('the address is neither a webhook URL nor the name of one')
  return url
}

/** Every form in which an answer could reveal the webhook, except short parts: these are ordinary words of its path. */
export function secretsInWebhook(url: URL | undefined): string[] {
  if (url === undefined) return []
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), ...url.search.split(/[&=]/)]
  return [url.href, url.pathname + url.search, ...parts.filter(part => part.length >= 16)]
}
