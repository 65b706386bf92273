/** Tells a TLS failure from a network failure: the first needs the operator, the second only time. */

const CERTIFICATE_CODES = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** True for the error codes of untrusted certificates and of peers that do not speak TLS on that port. */
export function isTlsFailure(code: unknown): boolean {
  if (typeof code !== 'string') return false
  return CERTIFICATE_CODES.has(code) || code === 'EPROTO' || /^ERR_(TLS|SSL)_/.test(code)
}
