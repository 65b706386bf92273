/** Events with what becomes of them, whichever way they arrive. */

export type Verdict = 'accepted' | { code: string; field: string }

const refused = (code: string, field: string): Verdict => ({ code, field })
const invalid = (field: string) => refused('invalid_request', field)
const many = (n: number) => Array.from({ length: n }, (_, i) => `u${i}`)
const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

type Case = [name: string, event: object, verdict: Verdict]
const CASES: Case[] = [
  ['only a kind', { kind: 'x' }, 'accepted'],
  [
    'everything',
    {
      ...{
        kind: 'issue_comment_created',
        actor_id: 'ada',
        topic: 'shop',
        source_kind: 'comment',
        source_id: '81',
      },
      thread: { kind: 'issue', id: '7', title: 'Cart', url: 'https://x.io/7', author_id: 'bob' },
      ...{ is_public: false, relations: { mention: ['eve', 'eve'], assignee: [] }, payload: { n: 1.5 } },
      ...{ occurred_at: '2026-01-31T09:30:00.123+01:00', request_id: 'r1' },
    },
    'accepted',
  ],
  ['a kind of 64 characters', { kind: 'k'.repeat(64) }, 'accepted'],
  ['a kind of 65', { kind: 'k'.repeat(65) }, invalid('kind')],
  ['no kind', {}, refused('missing_field', 'kind')],
  ['an empty kind', { kind: '' }, invalid('kind')],
  ['a kind with a control character', { kind: 'a\nb' }, invalid('kind')],
  ['a kind that is no text', { kind: 7 }, invalid('kind')],
  ['an actor of 201 characters', { kind: 'x', actor_id: 'a'.repeat(201) }, invalid('actor_id')],
  ['an empty topic', { kind: 'x', topic: '' }, invalid('topic')],
  ['a source kind of 33 characters', { kind: 'x', source_kind: 's'.repeat(33) }, invalid('source_kind')],
  ['is_public as text', { kind: 'x', is_public: 'yes' }, invalid('is_public')],
  ['a thread that is no object', { kind: 'x', thread: 'issue/7' }, invalid('thread')],
  ['a thread without an id', { kind: 'x', thread: { kind: 'issue' } }, refused('missing_field', 'thread.id')],
  ['a thread’s kind of 33', { kind: 'x', thread: { kind: 'k'.repeat(33), id: '1' } }, invalid('thread.kind')],
  ...['javascript:alert(1)', 'data:text/html,x', '//example.com', 'https://', ' /x'].map(
    (url): Case => [
      `a thread’s address ${url}`,
      { kind: 'x', thread: { kind: 'i', id: '1', url } },
      invalid('thread.url'),
    ],
  ),
  [
    'a thread’s address that is a path',
    { kind: 'x', thread: { kind: 'issue', id: '1', url: '/i/1' } },
    'accepted',
  ],
  [
    'a field that threads do not have',
    { kind: 'x', thread: { kind: 'i', id: '1', x: 1 } },
    invalid('thread.x'),
  ],
  ['relations that are no object', { kind: 'x', relations: ['ada'] }, invalid('relations')],
  ['a relation of one person', { kind: 'x', relations: { mention: 'ada' } }, invalid('relations.mention')],
  [
    'a relation with a number',
    { kind: 'x', relations: { mention: ['a', 1] } },
    invalid('relations.mention.1'),
  ],
  [
    'a relation named in capitals',
    { kind: 'x', relations: { Mention: ['a'] } },
    invalid('relations.Mention'),
  ],
  ['1000 people', { kind: 'x', relations: { mention: many(1000) } }, 'accepted'],
  ['1001 people', { kind: 'x', relations: { mention: many(1001) } }, invalid('relations.mention')],
  [
    '51 relations',
    { kind: 'x', relations: Object.fromEntries(many(51).map(name => [name, ['a']])) },
    invalid('relations'),
  ],
  [
    'relations of more than 64 KiB',
    { kind: 'x', relations: { mention: many(1000).map(id => id.padEnd(100, 'x')) } },
    refused('payload_too_large', 'relations'),
  ],
  ['a payload that is no object', { kind: 'x', payload: [1] }, refused('invalid_payload', 'payload')],
  ['a payload of 4 KiB', { kind: 'x', payload: { a: 'x'.repeat(4096 - 9) } }, 'accepted'],
  [
    'a payload of more',
    { kind: 'x', payload: { a: 'x'.repeat(4096) } },
    refused('payload_too_large', 'payload'),
  ],
  ['a payload nested 101 levels', { kind: 'x', payload: nested(101) }, refused('invalid_payload', 'payload')],
  [
    'a time without a zone',
    { kind: 'x', occurred_at: '2026-01-31T09:30:00' },
    refused('invalid_timestamp', 'occurred_at'),
  ],
  ['a field that events do not have', { kind: 'x', title: 'x' }, invalid('title')],
]

/** As JSON text. */
export const SHAPE_CASES = CASES.map(
  ([name, event, verdict]) => [name, JSON.stringify(event), verdict] as const,
)
