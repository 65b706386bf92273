/** The messages of one notification as a table. */
import type { RecordDetail, Route } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { useRows } from '../../ui/use-rows.ts'
import { ROUTE_COLUMNS_OF_RECORD } from '../activity/route-columns.tsx'
import { isUnderway } from './decisions.ts'
import { MessageSheet } from './message-sheet.tsx'

export function RecordRoutes({ record }: { record: RecordDetail }) {
  const { notification_id: id } = record
  const [shown, setShown] = useState<Route>()
  const list = useRows<Route>(
    ['records', id, 'routes'],
    (position, options) => api.records.routes(id, position, options),
    isUnderway(record.routes) ? LIVE : {},
  )
  return (
    <>
      <ListCard
        label="Messages"
        list={list}
        columns={ROUTE_COLUMNS_OF_RECORD}
        idOf={({ route_id }) => route_id}
        onOpen={(route: Route) => setShown(route)}
        empty={
          <Empty title="No messages yet" text="The audience has not become messages, or nobody is in it." />
        }
      />
      {shown && <MessageSheet notificationId={id} route={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}
