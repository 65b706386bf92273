/** A service that messages are sent through: what a tenant would set up, and what the service answers when all is well. */
import type { Message } from '../../../server/dist/content/messages/message.js'

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

export interface Service {
  /** Spoken where the kind speaks nothing else. */
  protocol: 'http' | 'https'
  config(origin: string): object
  secrets(origin: string): object
  message(origin: string): Partial<Message>
  /** As documented. */
  accepts: Answer
  /** Where the service has more than one door: by path. */
  doors?: Record<string, Answer>
}

export function json(status: number, body: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
