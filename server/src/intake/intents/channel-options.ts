/** The options of an intent by channel. */
import type { EmailOptions, Intent } from '@carillon/contract'

export type ChannelOptions = Partial<Pick<Intent, 'email' | 'sms' | 'chat'>>

/** null if the intent has none. */
export function optionsOf({ email, sms, chat }: Intent): ChannelOptions | null {
  const options = { ...(email && { email }), ...(sms && { sms }), ...(chat && { chat }) }
  return Object.keys(options).length === 0 ? null : options
}

/** Of all attachments together, decoded. */
export function attachedBytes(email: EmailOptions | undefined): number {
  return (email?.attachments ?? []).reduce((sum, { content }) => sum + decodedBytes(content), 0)
}

export function hasAttachments(options: ChannelOptions | null): boolean {
  return options?.email?.attachments !== undefined
}

/** For operators: what somebody attached is nothing that they have to read. */
export function withoutContents(options: ChannelOptions | null): object | null {
  if (!hasAttachments(options)) return options
  const attachments = options!.email!.attachments!.map(({ content, ...file }) => ({
    ...file,
    bytes: decodedBytes(content),
  }))
  return { ...options, email: { ...options!.email, attachments } }
}

function decodedBytes(base64: string): number {
  return (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0)
}
