/** Streams that intents are read from; which there are is in the server's settings. */
import type { Stream } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { type PagePosition, pagedList } from './pages.ts'
import { path } from './path.ts'

export function createStreams(send: Send) {
  const change = async (name: string, is_paused: boolean, options?: CallOptions): Promise<Stream> =>
    send({ method: 'PATCH', path: path`/v1/streams/${name}`, body: { is_paused }, ...options })

  return {
    ...pagedList<Stream, PagePosition>(send, '/v1/streams'),

    async get(name: string, options?: CallOptions): Promise<Stream> {
      return send({ method: 'GET', path: path`/v1/streams/${name}`, ...options })
    },

    /** Stops reading within a second, in every process; what is added meanwhile waits in the stream. */
    async pause(name: string, options?: CallOptions): Promise<Stream> {
      return change(name, true, options)
    },

    async resume(name: string, options?: CallOptions): Promise<Stream> {
      return change(name, false, options)
    },

    /** Forgets a stream that is in no settings any more; nothing happens to the stream itself. */
    async delete(name: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/streams/${name}`, ...options })
    },
  }
}
