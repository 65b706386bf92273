/** Streams: where intents are read from, and how far that has come. */
import { z } from 'zod'
import { Timestamp } from './common.ts'

export const STREAM_STATUSES = ['reading', 'failing', 'paused'] as const

export const Stream = z.object({
  name: z.string(),
  kind: z.enum(['redis', 'nats']),
  place: z.string().describe('The key of a Redis stream; the stream and subject of NATS JetStream'),
  group: z.string().describe('The consumer group, or the durable consumer'),
  status: z.enum(STREAM_STATUSES).describe('failing = it could not be read or accepted; last_error says why'),
  waiting: z
    .number()
    .int()
    .nullable()
    .describe('Entries that are neither accepted nor kept as malformed; null: its server does not say'),
  oldest_at: Timestamp.nullable().describe('When the oldest of them was added'),
  last_read_at: Timestamp.nullable().describe('When its server last answered, entries or not'),
  last_error: z.string(),
  paused_at: Timestamp.nullable(),
  created_at: Timestamp.describe('When a process first read it'),
})
export type Stream = z.infer<typeof Stream>

export const StreamChanges = z.strictObject({ is_paused: z.boolean() })
export type StreamChanges = z.infer<typeof StreamChanges>
