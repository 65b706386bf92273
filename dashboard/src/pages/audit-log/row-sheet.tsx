/** One change beside the list: what was before, what is now, who did it and from where. */
import type { AuditLog } from '@carillon/contract'
import { Actor } from '../../ui/actor.tsx'
import { resourceAddress, sayActor, sayDone, sayResource } from '../../ui/audit-words.ts'
import { Id } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldDiff } from '../../ui/field-diff.tsx'
import { Facts } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ShortTime } from '../../ui/time.tsx'

interface RowSheetProps {
  row: AuditLog
  keys: ReadonlyMap<string, string>
  onClose(): void
}

function titleOf(row: AuditLog, keys: RowSheetProps['keys']): string {
  const actor = (row.user_id === null && keys.get(row.api_key_id ?? '')) || sayActor(row)
  return `${actor} ${sayDone(row)} the ${sayResource(row.resource_type)}`
}

export function RowSheet({ row, keys, onClose }: RowSheetProps) {
  const address = resourceAddress(row.resource_type, row.resource_id)
  return (
    <Dialog title={titleOf(row, keys)} isSheet isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <Facts
          facts={[
            ['Who', <Actor key="who" row={row} keys={keys} />],
            ['When', <ShortTime key="when" value={row.created_at} />],
            [
              'Object',
              row.resource_id &&
                (address ? (
                  <TextLink to={address} className="break-all">
                    {row.resource_id}
                  </TextLink>
                ) : (
                  <Id value={row.resource_id} />
                )),
            ],
            [
              'History',
              row.resource_id && (
                <TextLink
                  to="/audit-log"
                  search={{ resource_type: row.resource_type, resource_id: row.resource_id } as never}
                >
                  Everything done to it
                </TextLink>
              ),
            ],
            ['Key', row.api_key_id && <Id value={row.api_key_id} />],
            ['Address', row.ip_address && <Id value={row.ip_address} />],
            ['Client', row.user_agent],
            ['Request', row.request_id && <Id value={row.request_id} />],
          ]}
        />
        <FieldDiff before={row.old_values} after={row.new_values} />
      </div>
    </Dialog>
  )
}
