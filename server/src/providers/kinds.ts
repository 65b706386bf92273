/** Every kind of provider Carillon knows. A new one is a file and a line here. */
import { smtpKind } from './email/smtp-kind.ts'
import type { ProviderKind } from './kind.ts'

export const PROVIDER_KINDS: ProviderKind[] = [smtpKind]

export function kindNamed(name: string): ProviderKind | undefined {
  return PROVIDER_KINDS.find(kind => kind.name === name)
}
