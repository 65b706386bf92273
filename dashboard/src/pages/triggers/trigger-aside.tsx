import type { CreatedHttpTrigger, Trigger } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'
import { HookAddress } from './hook-address.tsx'
import { refreshTriggers } from './trigger-changes.ts'
import { MISFIRES, TRIGGER_KINDS } from './trigger-words.ts'

export function TriggerAside({ trigger }: { trigger: Trigger }) {
  const { script_id, retry, registrant } = trigger
  const script = useQuery({
    queryKey: ['scripts', script_id],
    queryFn: ({ signal }) => api.scripts.get(script_id, { signal }),
    enabled: useMay('scripts:read'),
  })
  return (
    <>
      <Card title="Facts">
        <Facts
          facts={[
            ['Kind', TRIGGER_KINDS[trigger.kind].title],
            [
              'Script',
              <Link
                key="script"
                to={`/scripts/${script_id}`}
                className="font-mono text-code text-accent hover:underline"
              >
                {script.data?.name ?? script_id}
              </Link>,
            ],
            trigger.kind === 'cron' && ['Next run', <Time key="next" value={trigger.next_run_at} />],
            trigger.kind === 'cron' && ['Last run', <Time key="last" value={trigger.last_run_at} />],
            trigger.kind === 'cron' && ['Missed', MISFIRES[trigger.config.misfire_policy]],
            trigger.kind === 'http' && [
              'Callers',
              trigger.dispatch_mode === 'sync' ? 'Wait for the result' : 'Do not wait',
            ],
            ['Attempts', `${retry.max_attempts}, first again after ${sayDuration(retry.base_ms)}`],
            ['Runs as', registrant.user_id ?? (registrant.api_key_id ? 'an API key' : null)],
            ['May do', registrant.scopes.join(', ') || 'Nothing'],
            ['Created', <Time key="created" value={trigger.created_at} />],
            ['Changed', <Time key="updated" value={trigger.updated_at} />],
          ]}
        />
        <div className="mt-3 flex flex-col items-start gap-1">
          <Link
            to="/dead-letters"
            search={{ trigger_id: trigger.id } as never}
            className="text-accent hover:underline"
          >
            Its dead letters
          </Link>
          <Link
            to="/audit-log"
            search={{ resource_id: trigger.id } as never}
            className="text-accent hover:underline"
          >
            Who changed it
          </Link>
        </div>
      </Card>
      {trigger.kind === 'http' && <Address trigger={trigger} />}
    </>
  )
}

function Address({ trigger }: { trigger: Extract<Trigger, { kind: 'http' }> }) {
  const mayWrite = useMay('triggers:write')
  const [isAsking, setAsking] = useState(false)
  const [rotated, setRotated] = useState<CreatedHttpTrigger>()
  return (
    <Card title="Address">
      <div className="flex flex-col items-start gap-3">
        <p>
          Its secret part begins with <code className="font-mono text-code">{trigger.url_hint}</code>
        </p>
        <p className="text-muted">
          The whole address was shown when it was created, and is kept nowhere. If it is lost or has leaked,
          make a new one.
        </p>
        <Button
          size="small"
          refusal={!mayWrite && 'You need triggers:write: ask an owner'}
          onClick={() => setAsking(true)}
        >
          New address
        </Button>
      </div>
      <Confirm
        title={`Give ${trigger.name} a new address?`}
        action="New address"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          setRotated(await api.triggers.rotateUrl(trigger.id))
          await refreshTriggers()
        }}
      >
        The old address stops working at once: whatever calls it is refused until you give it the new one.
      </Confirm>
      <HookAddress
        url={rotated?.url}
        method={trigger.config.methods[0] ?? 'POST'}
        onClose={() => setRotated(undefined)}
      />
    </Card>
  )
}
