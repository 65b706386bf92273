/** Intents and the answers to them, which are the same over HTTP and by carillon.notify(intent jsonb). */

/** `field` is the invalid one; `accepted` means that both ways store the same. */
export type Verdict = 'accepted' | { code: string; field: string }
export type ShapeCase = [name: string, intent: string, verdict: Verdict]

const BASE = {
  notification_type: 'shape',
  audience: { kind: 'users', user_ids: ['ada'] },
  payload: { title: 'Hello' },
}
const x = (length: number) => 'x'.repeat(length)
/** One character, but a string of length 2 in JavaScript. */
const BELL = '\u{1f514}'

/** undefined removes a field. */
const intent = (changes: object) => JSON.stringify({ ...BASE, ...changes })
const audience = (value: unknown) => intent({ audience: value })
/** For JSON that JSON.stringify would write differently. */
const payload = (text: string) => intent({ payload: '<>' }).replace('"<>"', text)
const refused = (code: string, field: string): Verdict => ({ code, field })

function textField(field: string, most: number): ShapeCase[] {
  const bad = refused('invalid_request', field)
  const of = (value: unknown) => intent({ [field]: value })
  return [
    [`${field} of ${most} characters`, of(x(most)), 'accepted'],
    [`${field} of ${most + 1} characters`, of(x(most + 1)), bad],
    [`${field} of ${most} bells`, of(BELL.repeat(most)), 'accepted'],
    [`${field} of ${most + 1} bells`, of(BELL.repeat(most + 1)), bad],
    [`${field} in other scripts`, of('Ünïcode 通知'), 'accepted'],
    [`an empty ${field}`, of(''), bad],
    [`blanks as ${field}`, of('  '), 'accepted'],
    [`${field} with a line break`, of('a\r\nb'), bad],
    [`${field} with a tab`, of('a\tb'), bad],
    [`${field} with DEL`, of('a\u007fb'), bad],
    [`${field} with a control character above ASCII`, of('a\u0085b'), 'accepted'],
    [`a number as ${field}`, of(7), bad],
    [`a list as ${field}`, of(['a']), bad],
    [`an object as ${field}`, of({}), bad],
    [`null as ${field}`, of(null), bad],
  ]
}

function timeField(field: string): ShapeCase[] {
  const bad = refused('invalid_timestamp', field)
  const of = (value: unknown) => intent({ [field]: value })
  const good = [
    '2999-01-31T09:30:00Z',
    '2999-01-31T09:30:00.123456Z',
    '2999-01-31T09:30:00.1234567891Z',
    '2999-01-31T09:30:00+05:45',
    '2999-01-31T09:30:00-15:59',
    '2996-02-29T23:59:59Z',
    '9999-12-31T23:59:59Z',
  ]
  const wrong = [
    '2999-01-31',
    '2999-01-31T09:30:00',
    '2999-01-31T09:30Z',
    '2999-01-31 09:30:00Z',
    '2999-01-31T09:30:00z',
    '2999-01-31t09:30:00Z',
    '2999-01-31T09:30:00+0545',
    '2999-01-31T09:30:00+05',
    '2999-01-31T09:30:00+16:00',
    '2999-01-31T09:30:00+23:59',
    '2999-01-31T09:30:00.Z',
    '2999-01-31T09:30:60Z',
    '2999-01-31T09:60:00Z',
    '2999-01-31T24:00:00Z',
    '2999-02-29T00:00:00Z',
    '2999-02-30T00:00:00Z',
    '2999-04-31T00:00:00Z',
    '2999-13-01T00:00:00Z',
    '2999-00-01T00:00:00Z',
    '2999-01-00T00:00:00Z',
    '0999-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '12999-01-01T00:00:00Z',
    '+2999-01-01T00:00:00Z',
    ' 2999-01-31T09:30:00Z',
    '2999-01-31T09:30:00Z\n',
    `2999-01-31T09:30:00.${'1'.repeat(30)}Z`,
    'infinity',
    'now',
    '',
    32_000_000_000,
    null,
    {},
  ]
  return [
    ...good.map((value): ShapeCase => [`${field} ${value}`, of(value), 'accepted']),
    ...wrong.map((value): ShapeCase => [`${field} ${JSON.stringify(value)}`, of(value), bad]),
  ]
}

function wallTimes(): ShapeCase[] {
  const of = (value: unknown) => intent({ send_at_local: value })
  const good = ['2999-12-24T09:00', '2999-12-24T09:00:59', '2996-02-29T00:00', '2999-12-24T23:59']
  const wrong = [
    '2999-12-24',
    '2999-12-24T09',
    '2999-12-24 09:00',
    '2999-12-24T9:00',
    '2999-12-24T09:00Z',
    '2999-12-24T09:00:00Z',
    '2999-12-24T09:00+01:00',
    '2999-12-24T09:00:00.5',
    '2999-12-24T24:00',
    '2999-12-24T09:60',
    '2999-12-24T09:00:60',
    '2999-02-29T09:00',
    '2999-13-24T09:00',
    '0999-12-24T09:00',
    '2999-12-24T09:00\n',
    '',
    900,
    null,
  ]
  const bad = refused('invalid_timestamp', 'send_at_local')
  return [
    ...good.map((value): ShapeCase => [`send_at_local ${value}`, of(value), 'accepted']),
    ...wrong.map((value): ShapeCase => [`send_at_local ${JSON.stringify(value)}`, of(value), bad]),
  ]
}

const AUDIENCES: ShapeCase[] = [
  ['no audience', audience(undefined), refused('missing_field', 'audience')],
  ['null as audience', audience(null), refused('invalid_audience', 'audience')],
  ['a word as audience', audience('users'), refused('invalid_audience', 'audience')],
  ['a list as audience', audience([]), refused('invalid_audience', 'audience')],
  ['an audience without a kind', audience({}), refused('missing_field', 'audience.kind')],
  ['an unknown kind', audience({ kind: 'everybody' }), refused('invalid_audience', 'audience.kind')],
  ['a number as kind', audience({ kind: 5 }), refused('invalid_audience', 'audience.kind')],
  ['null as kind', audience({ kind: null }), refused('invalid_audience', 'audience.kind')],
  ['the whole tenant', audience({ kind: 'tenant' }), 'accepted'],
  [
    'the tenant and a topic',
    audience({ kind: 'tenant', topic: 'x' }),
    refused('invalid_audience', 'audience.topic'),
  ],
  ['a topic', audience({ kind: 'topic', topic: x(200) }), 'accepted'],
  ['no topic', audience({ kind: 'topic' }), refused('missing_field', 'audience.topic')],
  ['an empty topic', audience({ kind: 'topic', topic: '' }), refused('invalid_audience', 'audience.topic')],
  [
    'a topic of 201 characters',
    audience({ kind: 'topic', topic: x(201) }),
    refused('invalid_audience', 'audience.topic'),
  ],
  ['a number as topic', audience({ kind: 'topic', topic: 5 }), refused('invalid_audience', 'audience.topic')],
  [
    'a topic and users',
    audience({ kind: 'topic', topic: 'x', user_ids: ['ada'] }),
    refused('invalid_audience', 'audience.user_ids'),
  ],
  ['a user twice', audience({ kind: 'users', user_ids: ['ada', 'ada'] }), 'accepted'],
  ['no user_ids', audience({ kind: 'users' }), refused('invalid_recipients', 'audience.user_ids')],
  ['no users', audience({ kind: 'users', user_ids: [] }), refused('invalid_recipients', 'audience.user_ids')],
  [
    'one user without a list',
    audience({ kind: 'users', user_ids: 'ada' }),
    refused('invalid_recipients', 'audience.user_ids'),
  ],
  [
    'null as users',
    audience({ kind: 'users', user_ids: null }),
    refused('invalid_recipients', 'audience.user_ids'),
  ],
  [
    'a number among users',
    audience({ kind: 'users', user_ids: ['ada', 7] }),
    refused('invalid_recipients', 'audience.user_ids.1'),
  ],
  [
    'null among users',
    audience({ kind: 'users', user_ids: [null] }),
    refused('invalid_recipients', 'audience.user_ids.0'),
  ],
  [
    'an empty user',
    audience({ kind: 'users', user_ids: ['ada', ''] }),
    refused('invalid_recipients', 'audience.user_ids.1'),
  ],
  [
    'a user of 201 characters',
    audience({ kind: 'users', user_ids: [x(201)] }),
    refused('invalid_recipients', 'audience.user_ids.0'),
  ],
  [
    'an unknown user',
    audience({ kind: 'users', user_ids: ['ghost'] }),
    refused('recipient_not_found', 'audience.user_ids'),
  ],
  ['10,000 users', audience({ kind: 'users', user_ids: Array(10_000).fill('ada') }), 'accepted'],
  [
    '10,001 users',
    audience({ kind: 'users', user_ids: Array(10_001).fill('ada') }),
    refused('invalid_recipients', 'audience.user_ids'),
  ],
  [
    'users on a channel',
    audience({ kind: 'users', user_ids: ['ada'], channel: 'email' }),
    refused('invalid_audience', 'audience.channel'),
  ],
  [
    'users with a misspelt field',
    audience({ kind: 'users', user_ids: ['ada'], user_id: 'ada' }),
    refused('invalid_audience', 'audience.user_id'),
  ],
  ['an address', audience({ kind: 'addresses', channel: 'chat', addresses: [x(500)] }), 'accepted'],
  [
    'an address of 501 characters',
    audience({ kind: 'addresses', channel: 'chat', addresses: [x(501)] }),
    refused('invalid_recipients', 'audience.addresses.0'),
  ],
  [
    'an address with a line break',
    audience({ kind: 'addresses', channel: 'email', addresses: ['a@b.c', 'a@b.c\nBcc: d@e.f'] }),
    refused('invalid_recipients', 'audience.addresses.1'),
  ],
  [
    'no addresses',
    audience({ kind: 'addresses', channel: 'email' }),
    refused('invalid_recipients', 'audience.addresses'),
  ],
  [
    'addresses on no channel',
    audience({ kind: 'addresses', addresses: ['a'] }),
    refused('missing_field', 'audience.channel'),
  ],
  [
    'addresses in the inbox',
    audience({ kind: 'addresses', channel: 'in_app', addresses: ['a'] }),
    refused('invalid_audience', 'audience.channel'),
  ],
  [
    'addresses by pigeon',
    audience({ kind: 'addresses', channel: 'pigeon', addresses: ['a'] }),
    refused('invalid_audience', 'audience.channel'),
  ],
  [
    'addresses on two channels',
    audience({ kind: 'addresses', channel: ['sms'], addresses: ['a'] }),
    refused('invalid_audience', 'audience.channel'),
  ],
  [
    'administrators and users',
    audience({ kind: 'admin_email', user_ids: ['ada'] }),
    refused('invalid_audience', 'audience.user_ids'),
  ],
]

const CHANNELS: ShapeCase[] = [
  ['every channel', intent({ channels: ['in_app', 'email', 'sms', 'push', 'chat', 'webhook'] }), 'accepted'],
  ['a channel twice', intent({ channels: ['sms', 'email', 'sms'] }), 'accepted'],
  ['no channels', intent({ channels: [] }), refused('invalid_audience', 'channels')],
  ['null as channels', intent({ channels: null }), refused('invalid_audience', 'channels')],
  ['a word as channels', intent({ channels: 'email' }), refused('invalid_audience', 'channels')],
  [
    'an unknown channel',
    intent({ channels: ['email', 'pigeon'] }),
    refused('invalid_audience', 'channels.1'),
  ],
  ['a channel in capitals', intent({ channels: ['EMAIL'] }), refused('invalid_audience', 'channels.0')],
  ['null among channels', intent({ channels: [null] }), refused('invalid_audience', 'channels.0')],
]

const badPayload = refused('invalid_payload', 'payload')
const PAYLOADS: ShapeCase[] = [
  ['no payload', intent({ payload: undefined }), refused('missing_field', 'payload')],
  ['null as payload', payload('null'), badPayload],
  ['a list as payload', payload('[]'), badPayload],
  ['a word as payload', payload('"x"'), badPayload],
  ['an empty payload', payload('{}'), 'accepted'],
  ['whitespace, order and repeated keys', payload('{ "b" : 1.50,\n "a":"\\u00e9", "a": 2 }'), 'accepted'],
  ['nulls inside', payload('{"a":null,"b":[null,{"c":null}]}'), 'accepted'],
  ['an empty key', payload('{"":1}'), 'accepted'],
  ['control characters in texts', payload('{"a":"\\n\\t\\u0001"}'), 'accepted'],
  ['keys that JavaScript objects inherit', payload('{"constructor":1,"toString":2}'), 'accepted'],
  ['a payload near 64 KiB', payload(`{"text":"${x(65_500)}"}`), 'accepted'],
  ['a payload beyond 64 KiB', payload(`{"text":"${x(65_536)}"}`), refused('payload_too_large', 'payload')],
  ['large numbers', payload('{"a":12345678901234567890,"b":0.1,"c":1E+400,"d":-2e-7}'), 'accepted'],
  ['1e999', payload('{"a":[1e999]}'), 'accepted'],
  ['1e1000', payload('{"a":[1e1000]}'), badPayload],
  ['-1e1000', payload('{"a":-1e1000}'), badPayload],
  ['12e999', payload('{"a":12e999}'), badPayload],
  ['0.001e1002', payload('{"a":0.001e1002}'), 'accepted'],
  ['0e9999', payload('{"a":0e9999}'), 'accepted'],
  ['1e-999', payload('{"a":1e-999}'), 'accepted'],
  ['1e-1000', payload('{"a":1e-1000}'), badPayload],
  ['1.5e-999', payload('{"a":{"b":1.5e-999}}'), badPayload],
  ['1e99999', payload('{"a":1e99999}'), badPayload],
  ['a number of 1000 digits', payload(`{"a":${'9'.repeat(1000)}}`), 'accepted'],
  ['a number of 1001 digits', payload(`{"a":${'9'.repeat(1001)}}`), badPayload],
  ['a number of 1001 decimals', payload(`{"a":0.${'9'.repeat(1001)}}`), badPayload],
  ['an oversized number in a text', payload('{"a":"1e99999","1e99999":"\\"1e99999"}'), 'accepted'],
]

const WHOLE: ShapeCase[] = [
  ['no type', intent({ notification_type: undefined }), refused('missing_field', 'notification_type')],
  ['an unknown field', intent({ recipient: 'ada' }), refused('invalid_request', 'recipient')],
  ['an unknown field that is null', intent({ recipient: null }), refused('invalid_request', 'recipient')],
  ['a field in capitals', intent({ Payload: {} }), refused('invalid_request', 'Payload')],
  [
    'a field of batches only',
    intent({ source_entry_id: '1' }),
    refused('invalid_request', 'source_entry_id'),
  ],
  ['a list', '[]', refused('invalid_request', 'body')],
  ['a word', '"intent"', refused('invalid_request', 'body')],
  ['null', 'null', refused('invalid_request', 'body')],
  ['a field twice', intent({}).replace('{', '{"notification_type":7,'), 'accepted'],
  [
    'both send_at and send_at_local',
    intent({ send_at: '2999-01-01T00:00:00Z', send_at_local: '2999-01-01T00:00' }),
    refused('invalid_timestamp', 'send_at_local'),
  ],
  [
    'an end after the start',
    intent({ send_at: '2998-01-01T00:00:00Z', expires_at: '2998-01-01T00:00:00.001Z' }),
    'accepted',
  ],
  [
    'an end at the start',
    intent({ send_at: '2998-01-01T00:00:00Z', expires_at: '2998-01-01T01:00:00+01:00' }),
    refused('invalid_timestamp', 'expires_at'),
  ],
  [
    'an end less than a millisecond later',
    intent({ send_at: '2998-01-01T00:00:00Z', expires_at: '2998-01-01T00:00:00.0009Z' }),
    refused('invalid_timestamp', 'expires_at'),
  ],
  [
    'an end in the past',
    intent({ expires_at: '2020-01-01T00:00:00Z' }),
    refused('invalid_timestamp', 'expires_at'),
  ],
  ['an unpublished template', intent({ template: 'ghost' }), refused('invalid_template', 'template')],
]

function threads(): ShapeCase[] {
  const of = (thread: unknown) => intent({ thread })
  const bad = (field: string) => refused('invalid_request', field)
  return [
    ['a thread', of({ kind: 'issue', id: '42' }), 'accepted'],
    ['a thread with a long id', of({ kind: 'pr', id: BELL.repeat(200) }), 'accepted'],
    ['a thread with too long an id', of({ kind: 'pr', id: x(201) }), bad('thread.id')],
    ['a thread of an unknown kind', of({ kind: 'invoice', id: '42' }), bad('thread.kind')],
    ['a thread with too long a kind', of({ kind: x(33), id: '42' }), bad('thread.kind')],
    ['a thread without a kind', of({ id: '42' }), refused('missing_field', 'thread.kind')],
    ['a thread without an id', of({ kind: 'issue' }), refused('missing_field', 'thread.id')],
    ['a thread with an empty id', of({ kind: 'issue', id: '' }), bad('thread.id')],
    ['a thread with a line break in its id', of({ kind: 'issue', id: 'a\nb' }), bad('thread.id')],
    ['a thread with a number as id', of({ kind: 'issue', id: 42 }), bad('thread.id')],
    ['a thread with a title', of({ kind: 'issue', id: '42', title: 'x' }), bad('thread.title')],
    ['text as thread', of('issue'), bad('thread')],
    ['null as thread', of(null), bad('thread')],
  ]
}

export const SHAPE_CASES: ShapeCase[] = [
  ...WHOLE,
  ...textField('notification_type', 100),
  ...textField('producer', 100),
  ...textField('idempotency_key', 255),
  ...textField('request_id', 200),
  ...textField('reason', 32),
  ...textField('template', 100).map(withoutTemplate),
  ...AUDIENCES,
  ...CHANNELS,
  ...PAYLOADS,
  ...timeField('send_at'),
  ...timeField('expires_at'),
  ...timeField('occurred_at'),
  ...wallTimes(),
  ...threads(),
]

/** A name of the right shape that no template has. */
function withoutTemplate([name, text, verdict]: ShapeCase): ShapeCase {
  return [name, text, verdict === 'accepted' ? refused('invalid_template', 'template') : verdict]
}
