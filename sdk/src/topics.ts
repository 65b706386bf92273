/** Topics, their members, and who watches them. */
import type {
  Page,
  Topic,
  TopicChanges,
  TopicInput,
  TopicMember,
  TopicMemberInput,
  TopicWithWatchers,
  Watch,
  WatchChanges,
  WatchInput,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition } from './pages.ts'
import { path } from './path.ts'

export function createTopics(send: Send) {
  const list = async (position: PagePosition = {}, options?: CallOptions): Promise<Page<Topic>> =>
    send({ method: 'GET', path: '/v1/topics', query: position, ...options })

  const members = async (
    topic: string,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<TopicMember>> =>
    send({ method: 'GET', path: path`/v1/topics/${topic}/members`, query: position, ...options })

  const watches = async (
    topic: string,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<Watch>> =>
    send({ method: 'GET', path: path`/v1/topics/${topic}/watches`, query: position, ...options })

  const watchesOf = async (
    userId: string,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<Watch>> =>
    send({ method: 'GET', path: path`/v1/users/${userId}/watches`, query: position, ...options })

  return {
    async put(topic: string, input: TopicInput = {}, options?: CallOptions): Promise<Topic> {
      return send({ method: 'PUT', path: path`/v1/topics/${topic}`, body: input, ...options })
    },

    async update(topic: string, changes: TopicChanges, options?: CallOptions): Promise<Topic> {
      return send({ method: 'PATCH', path: path`/v1/topics/${topic}`, body: changes, ...options })
    },

    /** With the number of people who watch it. */
    async get(topic: string, options?: CallOptions): Promise<TopicWithWatchers> {
      return send({ method: 'GET', path: path`/v1/topics/${topic}`, ...options })
    },

    list,

    all(position?: PagePosition, options?: CallOptions) {
      return everyRow<Topic>(next => list(next, options), position)
    },

    /** With its threads, members, watches and inbox rows. */
    async delete(topic: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/topics/${topic}`, ...options })
    },

    async putMember(
      topic: string,
      userId: string,
      input: TopicMemberInput = {},
      options?: CallOptions,
    ): Promise<TopicMember> {
      return send({
        method: 'PUT',
        path: path`/v1/topics/${topic}/members/${userId}`,
        body: input,
        ...options,
      })
    },

    members,

    allMembers(topic: string, position?: PagePosition, options?: CallOptions) {
      return everyRow<TopicMember>(next => members(topic, next, options), position)
    },

    async removeMember(topic: string, userId: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/topics/${topic}/members/${userId}`, ...options })
    },

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

    /** The topics that a person watches or ignores. */
    watchesOf,

    allWatchesOf(userId: string, position?: PagePosition, options?: CallOptions) {
      return everyRow<Watch>(next => watchesOf(userId, next, options), position)
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
