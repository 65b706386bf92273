/** A service that messages are sent through: what a tenant would configure, and how the service answers on success. */
import type { Message } from '../../../server/dist/content/messages/message.js'

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

export interface Service {
  /** https for the kinds that use nothing else. */
  protocol: 'http' | 'https'
  config(origin: string): object
  secrets(origin: string): object
  message(origin: string): Partial<Message>
  /** The answer on success, as documented. */
  accepts: Answer
  /** Answers for other paths, if the service has any. */
  otherPaths?: Record<string, Answer>
}

export function json(status: number, body: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
