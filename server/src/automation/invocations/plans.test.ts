import { randomUUID } from 'node:crypto'
import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, NEXT_PAGE, PAGE, UUID } from '../../../test/plans.ts'
import { deleteInbox, selectAbandoned, takeReplies, updateInbox } from './queries.ts'

const full = useFullDatabase()
const inbox = (id = UUID) => ({ tenant_id: full.tenantId, id })
const REPLY = { status_code: 200, reply_json: '1' }

describePlans(full, [
  [
    'the replies of a hundred who wait',
    'reply_inboxes_pkey',
    db =>
      takeReplies(
        db,
        Array.from({ length: 100 }, () => inbox(randomUUID())),
      ),
  ],
  ['storing a reply', 'reply_inboxes_pkey', db => updateInbox(db, inbox(), REPLY)],
  ['giving up an inbox', 'reply_inboxes_pkey', db => deleteInbox(db, inbox())],
  [
    'abandoned executions',
    'abandoned_executions_listing',
    db => selectAbandoned(db, full.tenantId, PAGE),
    ['S003-16'],
  ],
  [
    'the next page of abandoned executions',
    'abandoned_executions_(listing|old)',
    db => selectAbandoned(db, full.tenantId, NEXT_PAGE),
  ],
])
