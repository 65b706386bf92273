/** What can be sent with a button: each scene turns what the form says into the event or intent that the API gets. */
import type { PlaygroundPerson, PlaygroundStage } from '@carillon/sdk'
import type { SentAs } from './server.ts'

export const SCENES = ['comment', 'mention', 'assignment', 'broadcast', 'free'] as const
export type SceneName = (typeof SCENES)[number]

export interface Draft {
  scene: SceneName
  actor: string
  whom: string
  text: string
  /** The intent of the scene `free`. */
  json: string
}

interface Scene {
  label: string
  hint: string
  as: SentAs
  asksWhom: boolean
  text: string
}

export const SCENE: Record<SceneName, Scene> = {
  comment: {
    label: 'A comment',
    hint: 'Ada opened the issue, Grace watches the project: both are told.',
    as: 'events',
    asksWhom: false,
    text: 'It rings twice at noon. Shall I look at the hammer?',
  },
  mention: {
    label: 'A mention',
    hint: 'Reaches even somebody who muted the thread.',
    as: 'events',
    asksWhom: true,
    text: 'Do you have the key to the tower?',
  },
  assignment: {
    label: 'An assignment',
    hint: 'The assignee also gets a text message.',
    as: 'events',
    asksWhom: true,
    text: 'Please before Sunday.',
  },
  broadcast: {
    label: 'A broadcast',
    hint: 'An intent: it names who should know, on every channel.',
    as: 'intents',
    asksWhom: false,
    text: 'The tower is closed on Monday.',
  },
  free: {
    label: 'Your own intent',
    hint: 'As JSON, for the two people here.',
    as: 'intents',
    asksWhom: false,
    text: '',
  },
}

const BELL = { kind: 'issue', id: 'playground-1', title: 'The bell rings twice', author: 0 }
const HINGES = { kind: 'issue', id: 'playground-2', title: 'Oil the hinges', author: 1 }

export function newDraft(stage: PlaygroundStage): Draft {
  return {
    scene: 'comment',
    actor: stage.actor.id,
    whom: stage.people[0]!.id,
    text: SCENE.comment.text,
    json: JSON.stringify(ownIntent(stage), null, 2),
  }
}

/** Throws a SyntaxError if what was typed is no JSON. */
export function documentOf(draft: Draft, stage: PlaygroundStage, key: string): object {
  const { scene, actor, whom, text } = draft
  const event = (kind: string, about: typeof BELL, relations: object) => {
    const { author, ...thread } = about
    return {
      kind,
      actor_id: actor,
      topic: stage.topic,
      thread: { ...thread, author_id: stage.people[author]!.id },
      ...relations,
      payload: { body: text },
    }
  }
  switch (scene) {
    case 'comment':
      return event('playground_comment', BELL, {})
    case 'mention':
      return event('playground_comment', BELL, { relations: { mention: [whom] } })
    case 'assignment':
      return event('playground_assignment', HINGES, { relations: { assignee: [whom] } })
    case 'broadcast':
      return {
        notification_type: 'playground',
        audience: { kind: 'topic', topic: stage.topic },
        channels: usedChannels(stage),
        payload: { title: text, body: 'For everybody who watches the bell tower.' },
        idempotency_key: key,
      }
    case 'free':
      return JSON.parse(draft.json) as object
  }
}

export const usedChannels = ({ channels }: PlaygroundStage) =>
  channels.filter(({ is_used }) => is_used).map(({ channel }) => channel)

export function nameOf({ people, actor }: PlaygroundStage, userId: string): string {
  const everybody: PlaygroundPerson[] = [...people, actor]
  return everybody.find(({ id }) => id === userId)?.name ?? userId
}

function ownIntent(stage: PlaygroundStage): object {
  return {
    notification_type: 'playground',
    audience: { kind: 'users', user_ids: [stage.people[0]!.id] },
    channels: usedChannels(stage),
    payload: { title: 'Your order has shipped', body: 'It arrives on Friday.', order: 1842 },
  }
}
