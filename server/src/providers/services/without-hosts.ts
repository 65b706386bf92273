/**
 * For the providers that the operator sets up for all tenants: what they answer may be read by tenants, and must not tell
 * them the names and addresses of the operator's network.
 */
import { isIP } from 'node:net'
import type { Outcome, Provider } from './provider.ts'

const HIDDEN = '[host]'
const IPV4 = /(?<![\d.])\d{1,3}(\.\d{1,3}){3}(:\d+)?(?![\d.]*\d)/g
const PERHAPS_IPV6 = /[\da-f]*:[\da-f:.]*[\da-f:](%\w+)?/gi
const PORT = /:\d+$/

/** The host of the URL, every other name of its domain, and all IP addresses. Mail addresses stay. */
export function withoutHosts(provider: Provider, url: string): Provider {
  const names = namesAround(new URL(url).hostname)
  const hide = (text: string) =>
    text
      .replace(names, HIDDEN)
      .replace(PERHAPS_IPV6, found => (isIpv6(found) ? HIDDEN : found))
      .replace(IPV4, HIDDEN)
  return {
    ...provider,
    send: async (message, signal, place) => hiddenIn(await provider.send(message, signal, place), hide),
  }
}

function hiddenIn(outcome: Outcome, hide: (text: string) => string): Outcome {
  if (outcome.kind !== 'sent') return { ...outcome, message: hide(outcome.message) }
  return outcome.response === undefined ? outcome : { ...outcome, response: hide(outcome.response) }
}

/** A server often answers with another name of the same domain: that of the machine behind it. */
function namesAround(host: string): RegExp {
  const domain = host.split('.').slice(-2).join('.')
  const end = '(?![\\w-])(:\\d+)?'
  return new RegExp(`(?<![\\w.@-])([\\w-]+\\.)*${escaped(domain)}${end}`, 'gi')
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&')
}

function isIpv6(text: string): boolean {
  return isIP(text) === 6 || isIP(text.replace(PORT, '')) === 6
}
