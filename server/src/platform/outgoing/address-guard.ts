/**
 * Which addresses Carillon may be made to call. URLs come from tenants and recipients, so everything but the public
 * internet is refused: loopback, private and link-local ranges (cloud metadata), and every IPv6 form that hides an
 * IPv4 address. Operators allow their own networks explicitly.
 */
import ipaddr from 'ipaddr.js'

export interface AddressGuard {
  /** Whether a resolved address may be connected to. */
  allows(address: string): boolean
  /** Why this URL may not be called, or undefined. Looks at literals only; names are checked when they are resolved. */
  objectsTo(url: URL): string | undefined
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

const INTERNET_V6: Network = ipaddr.parseCIDR('2000::/3')

/** Networks are CIDR blocks such as 10.1.0.0/16; throws on anything else. What is denied is so even when it is allowed. */
export function createAddressGuard(
  allowedNetworks: string[] = [],
  deniedNetworks: string[] = [],
): AddressGuard {
  const networks = allowedNetworks.map(parseNetwork)
  const denied = deniedNetworks.map(parseNetwork)

  function allows(address: string): boolean {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.parse(address)
    if (denied.some(network => isInside(parsed, network))) return false
    return isPublic(parsed) || networks.some(network => isInside(parsed, network))
  }

  return {
    allows,
    objectsTo(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol} is not http or https`
      const host = literalHost(url)
      // A name that is resolved later, by the connection itself.
      if (!ipaddr.isValid(host)) return undefined
      return allows(host) ? undefined : `${host} is not a public address; ${HINT}`
    },
  }
}

export function parseNetwork(block: string): Network {
  try {
    return ipaddr.parseCIDR(block)
  } catch {
    throw new Error(`"${block}" is not a network such as 10.1.0.0/16 or fd00::/8`)
  }
}

const HINT = 'if it is intended, allow its network in CARILLON_ALLOWED_NETWORKS'

/** Does not say where the name leads: that would tell tenants about the operator's own network. */
export function refusalOfName(name: string): string {
  return `${name} does not lead to a public address; ${HINT}`
}

/** The URL parser has already turned 0x7f.1, 2130706433 and 0177.0.0.1 into 127.0.0.1; only brackets and a dot remain. */
function literalHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/**
 * Only plain unicast is public: mapped, translated (NAT64) and tunnelled forms have ranges of their own. The IPv6
 * internet uses only 2000::/3; outside of it, ::127.0.0.1 would count as unicast.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || isInside(address, INTERNET_V6)
}

function isInside(address: ipaddr.IPv4 | ipaddr.IPv6, [base, bits]: Network): boolean {
  // An IPv4-mapped address is the IPv4 address, whichever way it is written.
  const plain =
    address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress()
      ? (address as ipaddr.IPv6).toIPv4Address()
      : address
  return plain.kind() === base.kind() && (plain as ipaddr.IPv4).match(base as ipaddr.IPv4, bits)
}
