/** What the page asks the server for, with the token of its link. */
import type { PlaygroundOutcome, PlaygroundStage, Problem, UserToken } from '@carillon/sdk'

/** An answer that is no success, as the server words it. */
export class Refused extends Error {
  readonly status: number
  readonly fields: string[]

  constructor(problem: Pick<Problem, 'status' | 'detail' | 'errors'>) {
    super(problem.detail)
    this.status = problem.status
    this.fields = (problem.errors ?? []).map(({ field }) => field)
  }
}

/** Events say what happened, intents who should know. */
export type SentAs = 'events' | 'intents'

export interface PlaygroundServer {
  stage(): Promise<PlaygroundStage>
  clear(): Promise<void>
  /** Resolves to the id of what was accepted. */
  send(as: SentAs, document: object): Promise<string>
  outcome(as: SentAs, id: string): Promise<PlaygroundOutcome>
  tokenOf(userId: string): Promise<string>
}

/** `base` is where Carillon answers; it ends with a slash. */
export function connect(base: string, token: string): PlaygroundServer {
  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(new URL(`playground/${path}`, base), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new Refused({ status: 0, detail: 'The server does not answer. Does it still run?' })
    })
    const text = await answer.text()
    if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer
    throw new Refused(problemIn(text, answer.status))
  }
  return {
    stage: () => ask('GET', 'stage'),
    clear: () => ask('DELETE', 'stage'),
    async send(as, document) {
      const answer = await ask<{ event_id?: string; notification_id?: string }>('POST', as, document)
      return (answer.event_id ?? answer.notification_id)!
    },
    outcome: (as, id) => ask('GET', `${as}/${id}`),
    tokenOf: async user_id => (await ask<UserToken>('POST', 'tokens', { user_id })).token,
  }
}

/** A proxy in between may answer with anything. */
function problemIn(text: string, status: number): Pick<Problem, 'status' | 'detail' | 'errors'> {
  try {
    return JSON.parse(text)
  } catch {
    return { status, detail: `The server answered with status ${status}.` }
  }
}
