/**
 * S001 once more, as a small program without a database: who has which inbox row, unread and why, who gets which mail, who
 * follows what. Written from the requirements, not from the SQL, so that both agree only if both are right.
 */

export interface ModelEvent {
  n: number
  kind: string
  actor: string | null
  topic: string | null
  thread: string | null
  named: { mention: string[]; assignee: string[]; reviewer: string[] }
}

interface Row {
  reason: string
  kind: string
  isRead: boolean
  count: number
  source: number
}

type Level = 'all' | 'participating' | 'ignore'
type Choice = { subscribed: boolean; reason: string; madeBy: number | null }

/** S001-22: i = inbox, b = inbox and mail, m = both, also for whoever muted it. */
const MATRIX: Record<string, Record<string, 'i' | 'b' | 'm'>> = {
  issue_created: { mention: 'm', watching: 'b' },
  issue_comment_created: {
    ...{ mention: 'm', assignee: 'b', author: 'b' },
    ...{ commenter: 'b', subscribed: 'b', watching: 'b' },
  },
  issue_assigned: { mention: 'm', assignee: 'b' },
  issue_closed: { author: 'b', assignee: 'b', subscribed: 'b', watching: 'i' },
  review_requested: { reviewer: 'm' },
  review_submitted: { author: 'b', subscribed: 'i' },
  check_failed: { author: 'i' },
  repo_archived: { owner: 'b' },
}
/** S001-21 and S001-23, in the order in which they decide. */
const REASONS = {
  ...{ mention: 'mention', assignee: 'assignment', reviewer: 'review_requested', author: 'author' },
  ...{ commenter: 'commenter', subscribed: 'subscribed', watching: 'watching', owner: 'repo_admin_action' },
}
/** S001-10 */
const INVOLVED: Record<string, string> = {
  ...{ mention: 'mention', assignee: 'assigned', reviewer: 'review_requested' },
  ...{ author: 'author', commenter: 'commenter' },
}

export class Model {
  readonly people: string[]
  readonly authors = new Map<string, string>()
  readonly topicOf = new Map<string, string>()
  readonly privateTopics = new Set<string>()
  /** topic/user → role */
  readonly members = new Map<string, 'member' | 'owner'>()
  readonly watches = new Map<string, Level>()
  readonly choices = new Map<string, Choice>()
  /** thread/relation/user */
  readonly participants = new Set<string>()
  readonly inboxOff = new Set<string>()
  /** user/thread, or user/#event without a thread */
  readonly inbox = new Map<string, Row>()
  /** event/user/reason */
  readonly mails = new Set<string>()
  private readonly over = new Set<number>()

  constructor(people: string[]) {
    this.people = people
  }

  /** Tells people of an event; one that somebody was told of before tells nobody any more. */
  happen(event: ModelEvent): void {
    const rules = MATRIX[event.kind]
    if (rules === undefined || this.over.has(event.n)) return
    const told = this.people.flatMap(user => {
      const relation = this.isTold(event, user) ? this.decidingRelation(event, user, rules) : undefined
      return relation === undefined ? [] : [{ user, relation }]
    })
    if (told.length > 0) this.over.add(event.n)
    this.involveActor(event)
    for (const { user, relation } of told) {
      const reason = REASONS[relation]
      if (!this.inboxOff.has(user)) this.put(event, user, reason)
      if (rules[relation] !== 'i') this.mails.add(`${event.n}/${user}/${reason}`)
      if (INVOLVED[relation] !== undefined) this.involve(event, user, INVOLVED[relation])
    }
  }

  private isTold(event: ModelEvent, user: string): boolean {
    return user !== event.actor && this.maySee(event.topic, user)
  }

  private maySee(topic: string | null, user: string): boolean {
    return topic === null || !this.privateTopics.has(topic) || this.members.has(`${topic}/${user}`)
  }

  private decidingRelation(
    event: ModelEvent,
    user: string,
    rules: Record<string, string>,
  ): keyof typeof REASONS | undefined {
    const stands = this.relations(event, user)
    const isMuted = this.isMuted(event, user)
    return (Object.keys(REASONS) as (keyof typeof REASONS)[]).find(
      relation =>
        stands.has(relation) && rules[relation] !== undefined && (!isMuted || rules[relation] === 'm'),
    )
  }

  private relations({ n, named, topic, thread }: ModelEvent, user: string): Set<string> {
    const stands = new Set<string>()
    for (const [relation, users] of Object.entries(named)) if (users.includes(user)) stands.add(relation)
    if (thread !== null) {
      for (const relation of ['assignee', 'reviewer', 'commenter'])
        if (this.participants.has(`${thread}/${relation}/${user}`)) stands.add(relation)
      if (this.authors.get(thread) === user) stands.add('author')
      if (this.choice(thread, user, n)?.subscribed) stands.add('subscribed')
    }
    if (topic !== null) {
      if (this.watches.get(`${topic}/${user}`) === 'all') stands.add('watching')
      if (this.members.get(`${topic}/${user}`) === 'owner') stands.add('owner')
    }
    return stands
  }

  /** S001-12 */
  private isMuted({ n, thread, topic }: ModelEvent, user: string): boolean {
    const choice = thread === null ? undefined : this.choice(thread, user, n)
    if (choice?.subscribed === false) return true
    if (choice?.reason === 'manual') return false
    return this.watches.get(`${topic}/${user}`) === 'ignore'
  }

  /** What an event itself brought about counts for later ones only. */
  private choice(thread: string, user: string, event: number): Choice | undefined {
    const choice = this.choices.get(`${thread}/${user}`)
    return choice === undefined || (choice.madeBy ?? 0) >= event ? undefined : choice
  }

  private involveActor(event: ModelEvent): void {
    const { thread, actor, kind, topic } = event
    if (thread === null) return
    const author = this.authors.get(thread)
    if (author !== undefined && this.maySee(topic, author)) this.involve(event, author, 'author')
    const isComment = kind.endsWith('comment_created') && actor !== null && actor !== author
    if (isComment && this.maySee(topic, actor)) this.involve(event, actor, 'commenter')
  }

  /** S001-11 and S001-14: never over a choice. */
  private involve({ n, thread, topic }: ModelEvent, user: string, reason: string): void {
    if (thread !== null && !this.choices.has(`${thread}/${user}`))
      this.choices.set(`${thread}/${user}`, { subscribed: true, reason, madeBy: n })
    if (topic !== null && !this.watches.has(`${topic}/${user}`))
      this.watches.set(`${topic}/${user}`, 'participating')
  }

  /** S001-1, S001-2 and S001-3 */
  private put({ n, kind, thread }: ModelEvent, user: string, reason: string): void {
    const key = `${user}/${thread ?? `#${n}`}`
    const row = this.inbox.get(key)
    if (row !== undefined && row.source >= n) return
    this.inbox.set(key, { reason, kind, isRead: false, count: (row?.count ?? 0) + 1, source: n })
  }
}
