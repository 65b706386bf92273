import { z } from 'zod'

/** The setting that says where a service is: its own host, or that of a region, of a server of one's own, of a test. */
export function baseUrl(standard: string) {
  return z
    .url({ protocol: /^https?$/ })
    .regex(/[^/]$/, 'Expected no slash at the end.')
    .default(standard)
    .describe("Only for the service's regional or self-hosted endpoints.")
}
