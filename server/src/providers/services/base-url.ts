import { z } from 'zod'

/** The setting for a service's base URL: its own host, that of a region, a self-hosted server or a test. */
export function baseUrl(standard: string) {
  return z
    .url({ protocol: /^https?$/ })
    .regex(/[^/]$/, 'Expected no slash at the end.')
    .default(standard)
    .describe("Only for the service's regional or self-hosted endpoints.")
}
