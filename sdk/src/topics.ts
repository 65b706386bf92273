/** Who watches which topic. */
import type { Page, Watch, WatchChanges, WatchInput } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition } from './pages.ts'
import { path } from './path.ts'

export function createTopics(send: Send) {
  const watches = async (
    topic: string,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<Watch>> =>
    send({ method: 'GET', path: path`/v1/topics/${topic}/watches`, query: position, ...options })

  return {
    async watch(topic: string, watch: WatchInput, options?: CallOptions): Promise<Watch> {
      return send({ method: 'PUT', path: path`/v1/topics/${topic}/watch`, body: watch, ...options })
    },

    /** Changes the level of somebody who watches the topic already. */
    async updateWatch(topic: string, changes: WatchChanges, options?: CallOptions): Promise<Watch> {
      return send({ method: 'PATCH', path: path`/v1/topics/${topic}/watch`, body: changes, ...options })
    },

    watches,

    allWatches(topic: string, position?: PagePosition, options?: CallOptions) {
      return everyRow<Watch>(next => watches(topic, next, options), position)
    },

    async unwatch(topic: string, userId: string, options?: CallOptions): Promise<void> {
      return send({
        method: 'DELETE',
        path: path`/v1/topics/${topic}/watch`,
        query: { user_id: userId },
        ...options,
      })
    },
  }
}
